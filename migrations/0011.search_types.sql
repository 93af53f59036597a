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
    'A filter as SQL. predicate: a condition on braid_store.chunks with the alias c. source: a query that uses an '
    'index and returns ids of chunks, each once, among them all that match; null if there is none, and every chunk '
    'must be looked at. is_empty: every chunk matches, so that none has to be read.';

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
    'The options of a search after their checks, with defaults for those that were not given. boosts has also those '
    'that the option rerank stands for. is_rearranged: rows may change their order or be left out after the legs, so '
    'that match_count candidates are too few. is_arranged: groups, passages, pages or the like are asked for. '
    'context: passages are asked for.';

create type braid_store.boost as (
    label text,
    source text,
    is_additive boolean,
    weight float8
);
comment on type braid_store.boost is
    'A boost of scores: its name (label), its value as an SQL expression on braid_store.chunks with the alias c '
    '(source), and how it counts (is_additive, weight).';

create type braid_store.query_token as (
    clause_number int,
    group_number int,
    occurrence text,
    kind text,
    "position" int,
    lexeme text,
    token_kind text,
    written text
);
comment on type braid_store.query_token is
    'A token of a query: the clause that it is of (number, group, occurrence and kind, as braid_store.parse_query gives '
    'them), its position there, lexeme and kind. written is the clause''s text if it has no other token, else null.';

create type braid_store.search_request as (
    tenant_id int,
    collection braid_store.collections,
    legs text,
    query_text text,
    is_cut boolean,
    tokens braid_store.query_token[],
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
    'A search as all its parts see it: made once from the arguments, then handed down. collection has the weights, '
    'fusion, rrf_k and language that the search asks for in place of its own. legs: full_text, semantic, hybrid, or '
    'prefilter (what full text finds, in the order of similarity). query_text: the part of the text that is searched; '
    'is_cut: it is not all; tokens: those of query_text. Each leg gives candidate_count candidates. If too few rows are left and may_grow is true, '
    'it is asked for more, up to most_candidates. For pages: fingerprint identifies the query; rows_before is how '
    'many rows or groups came before this page; is_listed: pages go on beyond the candidates of the first page.';

create type braid_store.found_candidates as (
    full_text braid_store.candidate[],
    semantic braid_store.candidate[],
    semantic_mode text,
    is_cut boolean,
    postings_read bigint,
    chunks_scored int
);
comment on type braid_store.found_candidates is
    'What the legs of a search found, and how. is_cut: full text ended before it had scored all chunks that it might '
    'have found.';

create type braid_store.ranked_candidates as (
    fused braid_store.fused_candidate[],
    ranked braid_store.fused_candidate[],
    report jsonb,
    unseen float8,
    has_more boolean
);
comment on type braid_store.ranked_candidates is
    'The candidates of all legs, best first. fused: all of them. ranked: those that reach min_score, with boosts. '
    'report: how they were fused. unseen: the highest score that a chunk which no leg proposed could get. Both are '
    'null if nothing was fused. has_more: a leg stopped at its limit, and what it left out may reach min_score.';

create type braid_store.arrangement as (
    arranged braid_store.fused_candidate[],
    passages int4range[],
    missing_count int,
    has_more boolean,
    last_unit int,
    last_score float8
);
comment on type braid_store.arrangement is
    'The candidates that are shown, in order, and parallel to them their passages, as ranges of chunk_index. '
    'missing_count: how many rows or groups are missing. For pages: has_more tells whether there is a next page, '
    'last_unit where the last row or group of this page begins, and last_score its score.';

create type braid_store.examined_chunk as (
    chunk_id bigint,
    full_text_score float8,
    semantic_score float8,
    fused_place int,
    ranked_place int,
    result_place int
);
comment on type braid_store.examined_chunk is
    'A chunk to be explained: its scores and, if it has them, its places among the fused candidates, the ranked '
    'candidates and the rows of a search.';

create type braid_store.searched_segments as (
    segment_ids bigint[],
    scales float8[],
    block_width int
);
comment on type braid_store.searched_segments is
    'The segments that a full-text search reads, parallel to the factors by which their impacts are multiplied '
    '(scales). The number of a segment is its position here, from 1. block_width: how many chunk numbers are read of '
    'each block.';

create type braid_store.bounded_places as (
    places bigint[],
    bounds float8[],
    low float8
);
comment on type braid_store.bounded_places is
    'Places in the index of chunks that a search may find, parallel to upper bounds of their scores, highest first. '
    'No place with a bound of low or more is missing, except those that earlier passes gathered.';

create type braid_store.scored_chunks as (
    chunk_ids bigint[],
    scores float8[],
    threshold float8
);
comment on type braid_store.scored_chunks is
    'Chunks, parallel to their scores; null for a chunk that has none of the lexemes. threshold: the score of the '
    'last chunk that is wanted so far; chunks below it need not be looked at.';

create type braid_store.measured_chunks as (
    chunk_ids bigint[],
    distances float8[]
);
comment on type braid_store.measured_chunks is
    'Chunks, parallel to the distances of their vectors from a query vector.';

create type braid_store.serving_shard as (
    id int,
    storage text,
    vector_count bigint,
    ef_search int,
    ef_search_100 int,
    is_indexed boolean
);
comment on type braid_store.serving_shard is
    'The vector shard that searches of a tenant read in a collection, and whether its index can be used (is_indexed). '
    'id is null if there is no shard.';
