-- role: reader
-- standby: yes
create or replace function braid_calls.collection_spaces(collection text)
returns table (
  embedding_model text,
  dimensions int,
  is_new boolean,
  token_vector_model text,
  token_vector_count int,
  stores_queries boolean,
  chunk_tokens int
)
language sql
stable
parallel safe
security definer
set search_path = pg_catalog, pg_temp
as $$
  select v.embedding_model, v.dimensions, s.is_new, c.parts ->> 'token_vector_model',
         (c.parts ->> 'token_vector_count')::int, s.stores_queries, c.chunk_tokens
  from braid_store.collections c
  left join braid_store.model_migrations m on m.collection_id = c.id
  cross join lateral (values
    (1, c.vector_space_id, coalesce(m.state = 'cut_over', false), coalesce(c.parts ? 'query_embedding_count', false)),
    (2, case m.state when 'cut_over' then m.from_space_id else m.to_space_id end, m.state <> 'cut_over', false)
  ) s (place, id, is_new, stores_queries)
  join braid_store.vector_spaces v on v.id = s.id
  where c.name = collection_spaces.collection and braid_calls.login_is_known()
  order by s.place;
$$;

comment on function braid_calls.collection_spaces(text) is
  'Returns the models of a collection, that of its searches first, and during a model change the other one: is_new tells which '
  'is the new one. No rows: there is no such collection. Clients read this and not the views, which any reader can lock.';
