create or replace function braid.upsert_document(
  external_id text,
  content text default null,
  title text default null,
  source_uri text default null,
  metadata jsonb default null,
  speaker text default null,
  category text default null,
  importance float8 default null,
  occurred_at timestamptz default null,
  language text default null,
  embedding @vector@.vector default null,
  chunks jsonb default null,
  collection text default 'default'
)
returns braid.write_result
language sql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  select *
  from braid_store.write_documents(
    jsonb_build_array(jsonb_strip_nulls(jsonb_build_object(
      'external_id', external_id, 'content', content, 'title', title, 'source_uri', source_uri, 'speaker', speaker,
      'category', category, 'importance', importance, 'occurred_at', occurred_at, 'language', language,
      'embedding', embedding::real[]))
      -- Nulls inside these are the caller's.
      || case when metadata is null then '{}' else jsonb_build_object('metadata', metadata) end
      || case when chunks is null then '{}' else jsonb_build_object('chunks', chunks) end),
    collection);
$$;

comment on function braid.upsert_document(text, text, text, text, jsonb, text, text, float8, timestamptz, text,
                                          @vector@.vector, jsonb, text) is
  'Stores one document under your own id for it, replacing what was there: see upsert_documents.';
