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
    'A row of a search: a chunk with its text, its scores and its ranks. Rows are ordered by score, which is '
    'fused_score after boosts; fused_score is what the fusion makes of the normalised scores. full_text_score is '
    'BM25, semantic_score the similarity. Ranks begin at 1, and are null where that search did not find the chunk. '
    'snippet, boosts, group_score, passage, passage_start, passage_end and cursor are null unless an option asks for '
    'them.';
comment on column braid.search_result.chunk_id is
    'The chunk. highlight, explain_score and similar_chunks take this id.';
comment on column braid.search_result.document_id is 'The document that the chunk is a part of.';
comment on column braid.search_result.external_id is 'The id that the user gave the document.';
comment on column braid.search_result.chunk_index is 'The place of the chunk in its document, from 0.';
comment on column braid.search_result.title is 'The title of the document.';
comment on column braid.search_result.content is 'The text of the chunk.';
comment on column braid.search_result.source_uri is 'Where the document came from.';
comment on column braid.search_result.speaker is 'Who says the text.';
comment on column braid.search_result.category is 'The category that the user gave the text.';
comment on column braid.search_result.importance is 'The importance that the user gave the text.';
comment on column braid.search_result.occurred_at is 'When what the text is about happened, as the user gave it.';
comment on column braid.search_result.created_at is 'When the chunk was written.';
comment on column braid.search_result.token_count is 'About how many tokens of the embedding model the text has.';
comment on column braid.search_result.metadata is
    'The document''s metadata; keys that the chunk has itself take precedence.';
comment on column braid.search_result.score is 'The score that rows are ordered by: fused_score after boosts.';
comment on column braid.search_result.full_text_score is
    'The BM25 score, 0 if the chunk has none of the words. Null if there was no full-text search, or if, with the '
    'fusion rrf, it did not find the chunk.';
comment on column braid.search_result.full_text_normalised_score is 'The BM25 score on the scale that the fusion uses.';
comment on column braid.search_result.full_text_rank is
    'The rank in the full text search, from 1. Null if it did not find the chunk among its candidates.';
comment on column braid.search_result.semantic_score is
    'The similarity of query and chunk. Null if there was no semantic search, if the chunk is not embedded yet, or '
    'if, with the fusion rrf, semantic search did not find it.';
comment on column braid.search_result.semantic_normalised_score is 'The similarity on the scale that the fusion uses.';
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
comment on column braid.search_result.passage_end is 'The chunk_index of the last chunk of the passage.';
comment on column braid.search_result.cursor is
    'On the last row of a page: the value of the option cursor that gives the next page. Null on all other rows, and '
    'if there is no next page.';

create type braid.write_result as (
    external_id text,
    document_id bigint,
    status text,
    chunk_count int
);
comment on type braid.write_result is
    'What became of a document that was written: inserted, replaced (new chunks), updated (attributes only), '
    'unchanged, or superseded by a later one with the same external_id in the batch.';
comment on column braid.write_result.external_id is 'The id that the user gave the document.';
comment on column braid.write_result.document_id is 'The number that pgbraid gave the document.';
comment on column braid.write_result.status is
    'inserted, replaced (it has new chunks), updated (only what filters and results show), unchanged, or superseded by '
    'a later document of the batch with the same external_id.';
comment on column braid.write_result.chunk_count is 'How many chunks the document has now.';

create type braid_store.candidate as (
    chunk_id bigint,
    score float8,
    rank int
);
comment on type braid_store.candidate is
    'A chunk that one leg, full text or semantic search, found, with its score and its rank there.';

create type braid_store.query_condition as (
    group_number int,
    is_excluded boolean,
    is_prefix boolean,
    lexemes text[],
    offsets int[]
);
comment on type braid_store.query_condition is
    'Lexemes that a chunk must or must not have, in one field and at the given distances (offsets) from each other. A '
    'chunk must meet one condition of each group, and none that is_excluded. is_prefix: any lexeme that begins with '
    'the one given.';

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
    'A compiled query text, in the terms of a collection''s index. Parallel arrays, in the order of terms, give for '
    'each lexeme: its weight (times in the query × idf); the number of its term (to BM25, the lexemes of one term are '
    'one); the number of its word (0: it does not count for required_words, which is how many words must be there); '
    'how common its term is (document_frequencies); and how often that stands in the query (frequencies). Every match '
    'has one of driver_lexemes, if there are any, and all of required_lexemes. terms are the names of the terms, '
    'dropped_terms those left out because there were too many, absent_terms the words that no chunk has.';

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
comment on type braid_store.fused_candidate is 'A chunk after fusion: its score, and its score and rank in each leg.';

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
    'A document as the caller gave it, after all checks. content_hash covers what is indexed, attribute_hash the '
    'rest; they show what has changed.';

create type braid_store.document_change as (
    ordinality int,
    document_id bigint,
    status text
);
comment on type braid_store.document_change is 'What storing a document_input did to the document''s row in documents.';
