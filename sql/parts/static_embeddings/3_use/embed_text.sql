-- role: reader
-- standby: yes
-- example: braid.embed_text(content => null, embedder => 'small')
-- page: guide/static-embeddings.md
create or replace function braid.embed_text(content text, embedder text)
returns @vector@.vector
language sql
stable
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  select braid_calls.run_static_embedder(embed_text.content, embed_text.embedder);
$$;

comment on function braid.embed_text(text, text) is
  E'Return the vector that a static embedder makes of a text; null if the text is null or has no known word.\n'
  'content: the text, of a query as braid.embedded_text returns it, at most 100000 bytes. embedder: its name, as '
  'braid.static_embedders lists it. Use it where a function takes a vector, as in '
  'semantic_search(embed_text(''price'', ''minilm-static'')), and for your own tables. Raise 42704 if the embedder '
  'does not exist.';
