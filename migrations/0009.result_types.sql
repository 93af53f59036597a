-- The row types of the API. Views and client code depend on them, hence a migration.
-- depends: 0008.locks

create type braid.search_result as (
    chunk_id bigint,
    document_id bigint,
    external_id text,
    chunk_index int,
    title text,
    content text,
    source_uri text,
    speaker text,
    category text,
    importance float8,
    occurred_at timestamptz,
    created_at timestamptz,
    token_count int,
    metadata jsonb,
    score float8,
    full_text_score float8,
    full_text_normalised_score float8,
    full_text_rank int,
    semantic_score float8,
    semantic_normalised_score float8,
    semantic_rank int,
    snippet text,
    fused_score float8,
    boosts jsonb,
    group_score float8,
    passage text,
    passage_start int,
    passage_end int,
    cursor text
);
comment on type braid.search_result is
    'A chunk found. full_text_score is BM25, semantic_score the similarity; ranks start at 1, and are null where the leg '
    'did not find the chunk. fused_score is what the fusion makes of the normalised scores, and score is that after boosts. '
    'snippet, boosts, group_score (of the document), passage (the chunk with its neighbours, of the chunk_indexes '
    'passage_start to passage_end) and cursor (where the next page begins) are null unless asked for.';

create type braid.write_result as (
    external_id text,
    document_id bigint,
    status text,
    chunk_count int
);
comment on type braid.write_result is
    'What became of a document: inserted, replaced (new chunks), updated (attributes only), unchanged, or superseded by a '
    'later one of the same external_id in the batch.';

create type braid_store.candidate as (
    chunk_id bigint,
    score float8,
    rank int
);
comment on type braid_store.candidate is 'What a leg hands to fusion.';

create type braid_store.query_condition as (
    group_number int,
    is_excluded boolean,
    is_prefix boolean,
    lexemes text[],
    offsets int[]
);
comment on type braid_store.query_condition is
    'Lexemes that stand at these distances in one field of a chunk. One of each group must be there; none that is excluded.';

create type braid_store.text_query as (
    lexemes text[],
    weights float8[],
    term_numbers int[],
    word_numbers int[],
    required_words int,
    conditions braid_store.query_condition[],
    driver_lexemes text[],
    required_lexemes text[],
    posting_count bigint,
    average_length float8
);
comment on type braid_store.text_query is
    'A query text as a collection''s index understands it. In parallel, in the order of terms: lexemes, their weight (times '
    'in the query × idf), the term that each counts for (lexemes of one term are one to BM25) and its word (0: not counted '
    'among those of which required_words must be there). Every match has one of driver_lexemes, if there are any, and all '
    'of required_lexemes.';

create type braid_store.fused_candidate as (
    chunk_id bigint,
    score float8,
    full_text_score float8,
    full_text_normalised_score float8,
    full_text_rank int,
    semantic_score float8,
    semantic_normalised_score float8,
    semantic_rank int,
    fused_score float8,
    boosts jsonb,
    group_score float8
);
comment on type braid_store.fused_candidate is 'What fusion makes of a chunk''s candidates.';

create type braid_store.document_input as (
    ordinality int,
    external_id text,
    content text,
    title text,
    source_uri text,
    metadata jsonb,
    speaker text,
    category text,
    importance float8,
    occurred_at timestamptz,
    language text,
    embedding text,
    chunks jsonb,
    content_hash bytea,
    attribute_hash bytea
);
comment on type braid_store.document_input is
    'A document as given, checked. content_hash covers what reaches an index, attribute_hash the rest.';

create type braid_store.document_change as (
    ordinality int,
    document_id bigint,
    status text
);
comment on type braid_store.document_change is 'What storing a document_input did to its row in documents.';
