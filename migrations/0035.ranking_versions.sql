-- Versions of how a collection ranks. Collections that exist have none until their ranking changes.
-- depends: 0034.ranking_models

create table braid_store.ranking_versions (
    collection_id int not null references braid_store.collections (id) on delete cascade,
    version int not null check (version > 0),
    ranking jsonb not null check (jsonb_typeof(ranking) = 'object'),
    previous jsonb check (jsonb_typeof(previous) = 'object'),
    login text,
    role text,
    changed_at timestamptz,
    reason text,
    evaluation jsonb check (jsonb_typeof(evaluation) = 'object'),
    restored_version int,
    primary key (collection_id, version)
);
comment on table braid_store.ranking_versions is
    'How a collection has ranked: all settings of its ranking after each change. Only changes of a ranking write here.';
comment on column braid_store.ranking_versions.ranking is 'All settings of the ranking, as from this version on.';
comment on column braid_store.ranking_versions.previous is 'Those of the version before; null if this is the first.';
comment on column braid_store.ranking_versions.login is
    'The login that changed it. Null where a change found settings that no version has: then nobody knows who set them, and when.';

-- No table and no view has this type.
alter type braid_store.search_options
    add attribute ranking jsonb;
