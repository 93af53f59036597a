create or replace function braid_store.embedding_input(
  collection braid_store.collections,
  title text,
  speaker text,
  content text
)
returns text
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
begin
  return concat_ws(E'\n',
                   case when 'title' = any (embedding_input.collection.embed_fields) then
                     -- The splitter leaves at most half of chunk_tokens to title and speaker, so a longer title is cut.
                     left(embedding_input.title, embedding_input.collection.chunk_tokens * 2) end,
                   case when 'speaker' = any (embedding_input.collection.embed_fields) then embedding_input.speaker end,
                   embedding_input.content);
end
$$;

comment on function braid_store.embedding_input(braid_store.collections, text, text, text) is
  'Return the text that the embedding model of a collection gets for a chunk: title, speaker and content, as its '
  'embed_fields say.';
