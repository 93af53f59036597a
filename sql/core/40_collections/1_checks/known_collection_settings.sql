create or replace function braid_store.known_collection_settings()
returns table (
  name text,
  type text,
  least_value float8,
  greatest_value float8,
  words text[],
  default_value jsonb,
  is_nullable boolean,
  can_change boolean,
  hint text
)
language sql
immutable
parallel safe
security invoker
rows 8
set search_path = pg_catalog, pg_temp
as $$
  values
    ('fold_diacritics', 'boolean', null::float8, null::float8, null::text[], 'true'::jsonb, false, false,
     'Use true to ignore accents, or false to treat words that differ only in accents as different words.'),
    ('index_fields', 'array', null, null, '{title,speaker,content}', '["title", "speaker", "content"]', false, false,
     'Use title, speaker and content; content must be among them.'),
    ('embed_fields', 'array', null, null, '{title,speaker,content}', '["title", "speaker", "content"]', false, false,
     'Use title, speaker and content; content must be among them.'),
    ('vector_storage', 'string', null, null, '{vector,halfvec,binary}', null, false, true,
     'Use vector up to 2000 dimensions, halfvec up to 4000, or binary.'),
    ('hnsw_m', 'number', 2, 100, null, '16', false, true, 'Use 2 to 100, usually 16.'),
    ('hnsw_ef_construction', 'number', 4, 1000, null, null, false, true,
     'Use at least twice hnsw_m and at most 1000, usually 100.'),
    ('overlap_tokens', 'number', 0, 50000, null, null, true, true,
     'Use 0 to half of the collection''s chunk_tokens, or null for a tenth of a chunk.'),
    ('default_occurred_at', 'string', null, null, '{now}', null, true, true, 'Use now, or null for no time.');
$$;

comment on function braid_store.known_collection_settings() is
  'List the settings of a collection other than its ranking; they are columns of braid_store.collections. Each row '
  'has the JSON type, the bounds or the allowed words, the default (null if it depends on the collection) and a hint '
  'for errors. It also tells whether the setting may be null, and whether it can change.';
