create or replace function braid_store.document_chunks(
  collection braid_store.collections,
  inputs braid_store.document_input[]
)
returns table (
  ordinality int,
  chunk_index int,
  content text,
  token_count int,
  speaker text,
  category text,
  importance float8,
  occurred_at timestamptz,
  language text,
  metadata jsonb,
  embedding text,
  embedding_name text
)
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
begin
  return query
  -- Chunks as given.
  select i.ordinality, (c.ordinality - 1)::int, c.value ->> 'content',
         braid_store.estimate_tokens(c.value ->> 'content'),
         coalesce(c.value ->> 'speaker', i.speaker), coalesce(c.value ->> 'category', i.category),
         coalesce((c.value ->> 'importance')::float8, i.importance),
         coalesce((c.value ->> 'occurred_at')::timestamptz, i.occurred_at),
         coalesce(c.value ->> 'language', i.language),
         case when jsonb_typeof(c.value -> 'metadata') = 'object' then i.metadata || (c.value -> 'metadata')
              else i.metadata end,
         c.value ->> 'embedding',
         format('embedding of document "%s" chunk %s', left(i.external_id, 100), c.ordinality)
  from unnest(document_chunks.inputs) i, jsonb_array_elements(i.chunks) with ordinality c
  where i.chunks is not null
  union all
  -- A document with an embedding is one chunk, because its vector stands for the whole text. A document with only a
  -- title is one chunk, too.
  select i.ordinality, 0, coalesce(i.content, ''), braid_store.estimate_tokens(coalesce(i.content, '')), i.speaker,
         i.category, i.importance, i.occurred_at, i.language, i.metadata, i.embedding,
         format('embedding of document "%s"', left(i.external_id, 100))
  from unnest(document_chunks.inputs) i
  where i.chunks is null
    and (i.embedding is not null or coalesce(i.content, '') !~ E'\\S' and i.title ~ E'\\S')
  union all
  select i.ordinality, s.chunk_index, s.content, s.token_count, i.speaker, i.category, i.importance, i.occurred_at,
         i.language, i.metadata, null, null
  from unnest(document_chunks.inputs) i,
       -- The model reads title and speaker before the content. They take their share of chunk_tokens, but half at most.
       lateral braid_store.split_text(i.content, greatest(
         document_chunks.collection.chunk_tokens - braid_store.estimate_tokens(
           concat_ws(E'\n', case when 'title' = any (document_chunks.collection.embed_fields) then i.title end,
                     case when 'speaker' = any (document_chunks.collection.embed_fields) then i.speaker end)),
         document_chunks.collection.chunk_tokens / 2)) s
  where i.chunks is null and i.embedding is null and i.content is not null;
end
$$;

comment on function braid_store.document_chunks(braid_store.collections, braid_store.document_input[]) is
  'Returns the chunks of documents: those that the caller gave; one chunk for a document with an embedding; else the '
  'text split so that a chunk fits the collection''s chunk_tokens. embedding_name: what messages call its embedding.';
