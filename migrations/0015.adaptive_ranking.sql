-- What a collection ranks by unless a search says otherwise. Collections that exist keep what they have.
-- depends: 0014.relevance

-- Null: b follows the average length of the chunks (braid_store.adaptive_b).
alter table braid_store.collections
    alter column b drop not null,
    add column neighbour_weight float8 not null default 0 check (neighbour_weight between 0 and 1),
    add column smoothing float8 not null default 0 check (smoothing between 0 and 1),
    add column statistics_scope text not null default 'collection';
comment on column braid_store.collections.b is
    'BM25''s b: how much the length of a chunk counts against it, from 0 (not at all) to 1 (in full). Null: 0.75, and '
    'less where chunks are short.';
comment on column braid_store.collections.neighbour_weight is
    'How much of the scores of the chunks before and after it a chunk gets, in searches that do not say.';
comment on column braid_store.collections.smoothing is
    'How much of its score a chunk shares with those whose vectors are near, in hybrid searches that do not say.';
comment on column braid_store.collections.statistics_scope is
    'Where searches that do not say count how rare words are: collection, filter or auto.';

alter type braid_store.search_options
    add attribute neighbour_weight float8,
    add attribute smoothing float8;

alter type braid_store.ranked_candidates
    add attribute spread jsonb;
comment on type braid_store.ranked_candidates is
    'The candidates of all legs, best first. fused: all of them. ranked: those that reach min_score, with what '
    'neighbours share and with boosts. report: how they were fused. unseen: the highest fused score that a chunk which '
    'no leg proposed could get. Both are null if nothing was fused. has_more: a leg stopped at its limit, and what it '
    'left out may reach min_score. spread: what scores got from neighbours; null if they share none.';
