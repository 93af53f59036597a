-- Models learned from judgments, by which searches rank. Collections that exist have none.
-- depends: 0033.search_log

create table braid_store.ranking_models (
    tenant_id int not null,
    name text collate "C" not null check (octet_length(name) between 1 and 255),
    model jsonb not null check (jsonb_typeof(model) = 'object'),
    updated_at timestamptz not null default now(),
    primary key (tenant_id, name)
);
comment on table braid_store.ranking_models is
    'Ranking models as JSON: weights of the features of a candidate, and trees over them. Checked when they are written.';
alter table braid_store.ranking_models
    alter column tenant_id set statistics 0,
    alter column name set statistics 0,
    alter column model set statistics 0,
    alter column updated_at set statistics 0;

alter table braid_store.collections
    add column ranking_model text collate "C";
comment on column braid_store.collections.ranking_model is
    'The name of the model that ranks searches which name none, for tenants that have one of this name.';

-- No table and no view has this type.
alter type braid_store.search_options
    add attribute model jsonb,
    add attribute model_report jsonb;
