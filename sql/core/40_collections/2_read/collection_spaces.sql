-- role: reader
-- standby: yes
create or replace function braid_calls.collection_spaces(collection text)
returns table (
  embedding_model text,
  dimensions int,
  is_new boolean,
  chunk_tokens int,
  parts jsonb
)
language sql
stable
parallel safe
security definer
set search_path = pg_catalog, pg_temp
as $$
  select v.embedding_model, v.dimensions, s.is_new, c.chunk_tokens, c.parts
  from braid_store.collections c
  cross join lateral (
    select 1, c.vector_space_id, coalesce(bool_or(e.is_new), false)
    from braid_store.extend_spaces(c.id) e
    where e.vector_space_id = c.vector_space_id
    union all
    select 2, e.vector_space_id, e.is_new
    from braid_store.extend_spaces(c.id) e
    where e.vector_space_id <> c.vector_space_id
  ) s (place, id, is_new)
  join braid_store.vector_spaces v on v.id = s.id
  where c.name = collection_spaces.collection and braid_calls.login_is_known()
  order by s.place;
$$;

comment on function braid_calls.collection_spaces(text) is
  'Return the embedding models of a collection: first the searches'' model, then, during a model change, the other '
  'one. is_new: whether the collection changes to this model. parts: what parts store with the collection. There are '
  'no rows if the collection does not exist. Clients call this function because any reader can lock the views.';
