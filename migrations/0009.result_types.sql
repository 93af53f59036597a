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
comment on column braid.search_result.chunk_id is 'The chunk. highlight, explain_score and similar_chunks take it.';
comment on column braid.search_result.document_id is 'The document that the chunk is a part of.';
comment on column braid.search_result.external_id is 'The document by the id that the user gave it.';
comment on column braid.search_result.chunk_index is 'The place of the chunk in its document, from 0.';
comment on column braid.search_result.title is 'The title of the document.';
comment on column braid.search_result.content is 'The text of the chunk.';
comment on column braid.search_result.source_uri is 'Where the document came from.';
comment on column braid.search_result.speaker is 'Who says it.';
comment on column braid.search_result.category is 'The category that the user gave it.';
comment on column braid.search_result.importance is 'The importance that the user gave it.';
comment on column braid.search_result.occurred_at is 'The time of what the document is about, as the user gave it.';
comment on column braid.search_result.created_at is 'When the chunk was written.';
comment on column braid.search_result.token_count is 'About how many tokens of the embedding model the text has.';
comment on column braid.search_result.metadata is 'The document''s metadata with the chunk''s own keys on top.';
comment on column braid.search_result.score is 'What rows are ordered by: fused_score after boosts.';
comment on column braid.search_result.full_text_score is
    'The BM25 score, 0 if the chunk has none of the words. Null if full text was not searched, or, with the fusion '
    'rrf, did not find the chunk.';
comment on column braid.search_result.full_text_normalised_score is 'The BM25 score on the scale of the fusion.';
comment on column braid.search_result.full_text_rank is
    'The rank in the full text search, from 1. Null if it did not find the chunk among its candidates.';
comment on column braid.search_result.semantic_score is
    'The similarity of query and chunk. Null if vectors were not searched, the chunk is not embedded yet, or, with the '
    'fusion rrf, the semantic search did not find it.';
comment on column braid.search_result.semantic_normalised_score is 'The similarity on the scale of the fusion.';
comment on column braid.search_result.semantic_rank is
    'The rank in the semantic search, from 1. Null if it did not find the chunk among its candidates.';
comment on column braid.search_result.snippet is
    'The best passages of the text with the query''s words marked. Null unless the option snippet asks for it.';
comment on column braid.search_result.fused_score is 'The score of both searches together, before boosts.';
comment on column braid.search_result.boosts is
    'Each boost with its value and what it did to the score. Null unless the option boosts asks for some.';
comment on column braid.search_result.group_score is
    'The score of the row''s group, by which groups are ordered. Null unless the option group_by asks for groups.';
comment on column braid.search_result.passage is
    'The text of the chunk with its neighbours. Null unless context_before or context_after ask for it.';
comment on column braid.search_result.passage_start is 'The chunk_index of the first chunk of the passage.';
comment on column braid.search_result.passage_end is 'The chunk_index of its last chunk.';
comment on column braid.search_result.cursor is
    'On the last row of a page: what asks for the next page. Null elsewhere and at the end.';

create type braid.write_result as (
    external_id text,
    document_id bigint,
    status text,
    chunk_count int
);
comment on type braid.write_result is
    'What became of a document: inserted, replaced (new chunks), updated (attributes only), unchanged, or superseded by a '
    'later one of the same external_id in the batch.';
comment on column braid.write_result.external_id is 'The id that the user gave the document.';
comment on column braid.write_result.document_id is 'The number that pgbraid gave it.';
comment on column braid.write_result.status is
    'inserted, replaced (it has new chunks), updated (only what filters and results show), unchanged, or superseded by '
    'a later document of the batch with the same external_id.';
comment on column braid.write_result.chunk_count is 'How many chunks the document has now.';

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
    average_length float8,
    document_frequencies bigint[],
    frequencies int[],
    terms text[],
    dropped_terms text[],
    absent_terms text[]
);
comment on type braid_store.text_query is
    'A query text as a collection''s index understands it. In parallel, in the order of terms: lexemes, their weight (times '
    'in the query × idf), the term that each counts for (lexemes of one term are one to BM25) and its word (0: not counted '
    'among those of which required_words must be there), how common its term is and how often that stands in the query. '
    'Every match has one of driver_lexemes, if there are any, and all of required_lexemes. The terms by name, those that '
    'were dropped because there are too many, and the words that no chunk has.';

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
