-- role: writer, definer
create or replace function braid_calls.write_queries(query_set text, queries jsonb, collection text)
returns int
language plpgsql
volatile
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  v_tenant_id int := braid_store.tenant_id_for_writing();
  v_collection braid_store.collections := braid_store.find_collection(write_queries.collection);
  v_query record;
  v_ids text[];
  v_embeddings @vector@.vector[];
begin
  perform braid_store.check_queries(write_queries.queries);
  for v_query in
    select distinct q.value -> 'filters' as filters from jsonb_array_elements(write_queries.queries) q
    where jsonb_typeof(q.value -> 'filters') = 'object'
  loop
    perform braid_store.compile_filter(v_query.filters, v_tenant_id, v_collection.id);
  end loop;
  select array_agg(q.value ->> 'query_id' order by q.value ->> 'query_id' collate "C"),
         braid_store.parse_embeddings(
           array_agg(q.value ->> 'embedding' order by q.value ->> 'query_id' collate "C"),
           array_agg(format('the embedding of query "%s"', left(q.value ->> 'query_id', 100))
                     order by q.value ->> 'query_id' collate "C"))
  into v_ids, v_embeddings
  from jsonb_array_elements(write_queries.queries) q
  where jsonb_typeof(q.value -> 'embedding') <> 'null';
  if v_ids is not null then
    perform braid_store.check_embeddings(v_collection, v_embeddings, 'the embedding', array(
      select format('the embedding of query "%s"', left(u.id, 100)) from unnest(v_ids) with ordinality u (id, place)
      order by u.place));
  end if;

  perform braid_store.lock_query_set(v_tenant_id, write_queries.query_set);
  -- Write in key order, so that two sessions cannot deadlock.
  for v_query in
    select q.value ->> 'query_id' as query_id, q.value ->> 'text' as query_text,
           nullif(q.value -> 'filters', 'null') as filters
    from jsonb_array_elements(write_queries.queries) q
    order by q.value ->> 'query_id' collate "C"
  loop
    perform from braid_store.queries q
    where q.tenant_id = v_tenant_id and q.query_set = write_queries.query_set and q.query_id = v_query.query_id
      and q.query_text <> v_query.query_text
    for update;
    if found then
      delete from braid_store.query_set_embeddings e
      where e.tenant_id = v_tenant_id and e.query_set = write_queries.query_set and e.query_id = v_query.query_id;
    end if;
    insert into braid_store.queries (tenant_id, query_set, query_id, query_text, filters)
    values (v_tenant_id, write_queries.query_set, v_query.query_id, v_query.query_text, v_query.filters)
    on conflict on constraint queries_pkey do update
    set query_text = excluded.query_text, filters = excluded.filters, updated_at = excluded.updated_at;
  end loop;
  insert into braid_store.query_set_embeddings (tenant_id, query_set, query_id, vector_space_id, embedding)
  select v_tenant_id, write_queries.query_set, u.query_id, v_collection.vector_space_id, u.embedding
  from unnest(v_ids, v_embeddings) with ordinality u (query_id, embedding, place)
  order by u.place
  on conflict on constraint query_set_embeddings_pkey do update set embedding = excluded.embedding;
  return jsonb_array_length(write_queries.queries);
end
$$;

comment on function braid_calls.write_queries(text, jsonb, text) is 'Do the work of braid.store_queries.';
