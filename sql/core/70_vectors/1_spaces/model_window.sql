create or replace function braid_store.model_window(embedding_model text)
returns int
language sql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  select w.tokens
  from (values
    -- The limits come from the makers' model cards and documentation. The first matching pattern counts.
    (1, 'all-minilm-l6-v2', 256), (2, '(all|paraphrase|paraphrase-multilingual)-minilm-l12-v2', 128),
    (3, 'paraphrase-(minilm-l6-v2|multilingual-mpnet-base-v2|mpnet-base-v2)', 128), (4, 'all-mpnet-base-v2', 384),
    (5, 'multi-qa-.+', 512), (6, 'bge-m3', 8192), (7, 'bge-(small|base|large)-.+', 512),
    (8, '(multilingual-)?e5-(small|base|large)(-.+)?', 512), (9, 'gte-(small|base|large)', 512),
    (10, 'mxbai-embed-large(-v1)?', 512), (11, 'embed-(english|multilingual)-(light-)?v[23][.]0', 512),
    (12, 'text-embedding-(3-small|3-large|ada-002)', 8191), (13, 'gemini-embedding-001|text-embedding-004', 2048)
  ) w (place, pattern, tokens)
  -- Model hubs put the maker's name before the model's name.
  where regexp_replace(lower(model_window.embedding_model collate "C"), '^.*/', '') ~ ('^(' || w.pattern || ')$')
  order by w.place
  limit 1;
$$;

comment on function braid_store.model_window(text) is
  'Return how many tokens of a text a well-known embedding model reads; null for other models.';
