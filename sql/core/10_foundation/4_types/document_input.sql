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
  attribute_hash bytea,
  sparse jsonb,
  turns jsonb,
  chunk_tokens int,
  overlap_tokens int,
  format text,
  parts jsonb
);

comment on type braid_store.document_input is
  'A document as the caller gave it, after all checks. content_hash covers the indexed fields, attribute_hash the '
  'rest; they show what has changed. parts: fields that belong to parts (extend_document_fields); null if it has '
  'none.';
