-- What the functions of a search hand to each other. No table and no view has these types.
-- depends: 0010.isolation

-- pgvector may live in any schema; the type is found wherever it is.
select set_config('search_path', 'pg_catalog, ' || quote_ident(n.nspname), true)
from pg_catalog.pg_extension e join pg_catalog.pg_namespace n on n.oid = e.extnamespace
where e.extname = 'vector';

create type braid_store.filter as (
    predicate text,
    source text,
    is_empty boolean
);
comment on type braid_store.filter is
    'A filter as SQL: a condition on braid_store.chunks c (predicate); a query of an index that gives the ids of chunks, each '
    'once, all matches among them (source; null: there is none, look at every chunk). is_empty: every chunk passes, and '
    'none need be read.';

create type braid_store.search_options as (
    language text,
    operators boolean,
    correct boolean,
    statistics_scope text,
    embedding_model text,
    prefilter boolean,
    full_text_min_score float8,
    semantic_min_score float8,
    exact boolean,
    ef_search int,
    full_text_normalisation text,
    semantic_normalisation text,
    boosts jsonb,
    is_rearranged boolean,
    is_arranged boolean,
    collapse boolean,
    collapse_similarity float8,
    group_by text,
    group_size int,
    group_score text,
    diversify boolean,
    diversify_lambda float8,
    context boolean,
    context_before int,
    context_after int,
    cursor text,
    snippet boolean,
    start_tag text,
    stop_tag text,
    fragment_count int,
    fragment_words int,
    fragment_separator text,
    explain boolean
);
comment on type braid_store.search_options is
    'The options of a search, checked, with the defaults of those that were not given. boosts are with those that rerank '
    'stands for. is_rearranged: rows may come in another order than the legs give, or some be left out, so that match_count '
    'candidates are too few. is_arranged: groups, passages, pages or the like are asked for; context: passages.';

create type braid_store.boost as (
    label text,
    source text,
    is_additive boolean,
    weight float8
);
comment on type braid_store.boost is
    'A boost of scores: what it is called, its value as an SQL expression on braid_store.chunks c, and how it counts.';

create type braid_store.search_request as (
    tenant_id int,
    collection braid_store.collections,
    legs text,
    query_text text,
    is_cut boolean,
    query braid_store.text_query,
    corrections jsonb,
    scope_chunks int,
    query_embedding vector,
    filters jsonb,
    filter braid_store.filter,
    match_count int,
    min_score float8,
    options braid_store.search_options,
    boosts braid_store.boost[],
    candidate_count int,
    most_candidates int,
    may_grow boolean,
    fingerprint text,
    rows_before int,
    is_listed boolean
);
comment on type braid_store.search_request is
    'A search as its parts see it: made once from the arguments, then handed down. collection has the weights, fusion, rrf_k '
    'and language that the search asks for in place of its own. legs: full_text, semantic, hybrid, or prefilter (full text, in '
    'the order of similarity). query_text is what of it is searched; is_cut: not all. Each leg gives candidate_count '
    'candidates, up to most_candidates if it may_grow where too few rows are left. Of a page: the fingerprint of its query, '
    'how many rows or groups came before it, and whether pages go on beyond the candidates of the first (is_listed).';

create type braid_store.found_candidates as (
    full_text braid_store.candidate[],
    semantic braid_store.candidate[],
    semantic_mode text,
    is_cut boolean,
    postings_read bigint,
    chunks_scored int
);
comment on type braid_store.found_candidates is
    'What the legs of a search found, and how. is_cut: not all that full text might have found was scored.';

create type braid_store.ranked_candidates as (
    fused braid_store.fused_candidate[],
    ranked braid_store.fused_candidate[],
    report jsonb,
    unseen float8,
    has_more boolean
);
comment on type braid_store.ranked_candidates is
    'The candidates of all legs, best first: fused, and of these those ranked, which reach min_score, with boosts. report '
    'says how they were fused, and unseen what a chunk that no leg proposed would get at most; null where nothing was fused. '
    'has_more: a leg was cut short, and what it left out may reach min_score.';

create type braid_store.arrangement as (
    arranged braid_store.fused_candidate[],
    passages int4range[],
    missing_count int,
    has_more boolean,
    last_unit int,
    last_score float8
);
comment on type braid_store.arrangement is
    'The candidates that are shown, in order; the passages of each, as chunk_indexes; how many rows or groups are missing. Of '
    'a page: whether there is a next one, where its last row or group begins and what its score is.';

create type braid_store.examined_chunk as (
    chunk_id bigint,
    full_text_score float8,
    semantic_score float8,
    fused_place int,
    ranked_place int,
    result_place int
);
comment on type braid_store.examined_chunk is
    'A chunk whose fate in a search is explained: its scores, and its place among the candidates and the rows, if it has one.';

create type braid_store.searched_segments as (
    segment_ids bigint[],
    scales float8[],
    block_width int
);
comment on type braid_store.searched_segments is
    'The segments that a full-text search reads, in parallel with the factors by which their impacts are multiplied. A '
    'segment''s number is its place among them, from 1. Of each block the first block_width chunk numbers are read.';

create type braid_store.bounded_places as (
    places bigint[],
    bounds float8[],
    low float8
);
comment on type braid_store.bounded_places is
    'Places in the index whose chunks a search may find and, in parallel, what their scores are at most, highest first. '
    'No place that is missing has a bound of low or more.';

create type braid_store.scored_chunks as (
    chunk_ids bigint[],
    scores float8[],
    threshold float8
);
comment on type braid_store.scored_chunks is
    'Chunks and, in parallel, their scores, null where a chunk has none of the lexemes. threshold is the score of the last '
    'one that is wanted so far: what is below it need not be looked at.';

create type braid_store.measured_chunks as (
    chunk_ids bigint[],
    distances float8[]
);
comment on type braid_store.measured_chunks is 'Chunks and, in parallel, the distances of their vectors from a query.';

create type braid_store.serving_shard as (
    id int,
    storage text,
    vector_count bigint,
    ef_search int,
    ef_search_100 int,
    is_indexed boolean
);
comment on type braid_store.serving_shard is
    'The vector shard that serves a tenant''s part of a collection, and whether its index can be used; id is null where '
    'there is none.';
