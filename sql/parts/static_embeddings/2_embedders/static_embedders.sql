-- role: administrator
-- example: braid.static_embedders()
-- page: guide/static-embeddings.md
create or replace function braid.static_embedders()
returns table (name text, source_model text, dimensions int, token_count bigint)
language sql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  select * from braid_store.describe_static_embedders();
$$;

comment on function braid.static_embedders() is
  E'List the tables of token vectors that the database has.\n'
  'name: the name for the setting static_embedder, and the embedding_model of collections that it embeds. '
  'source_model: the model whose vectors these come close to, or null. token_count: the number of tokens. Only '
  'administrators may call it.';
