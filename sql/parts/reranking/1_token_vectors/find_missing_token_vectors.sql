-- role: reader
create or replace function braid_calls.find_missing_token_vectors(
  chunk_count int,
  after_chunk_id bigint,
  collection text
)
returns table (chunk_id bigint, input text)
language plpgsql
stable
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set jit = off
as $$
#variable_conflict use_column
declare
  c_batch_size constant int := 1000;
  v_tenant_id int := braid_store.tenant_id_of_user();
  v_collection braid_store.collections := braid_store.find_collection(find_missing_token_vectors.collection);
  v_last_id bigint := coalesce(find_missing_token_vectors.after_chunk_id, 0);
  v_batch bigint[];
  v_missing bigint[] := '{}';
begin
  if (find_missing_token_vectors.chunk_count between 1 and 10000) is not true then
    raise exception 'chunk_count is %', coalesce(find_missing_token_vectors.chunk_count::text, 'null')
      using errcode = '22023', hint = 'Use 1 to 10000.';
  end if;
  perform braid_store.check_token_model(v_collection, null, null);
  while cardinality(v_missing) < find_missing_token_vectors.chunk_count loop
    v_batch := braid_store.next_chunk_ids(v_tenant_id, v_collection.id, v_last_id, c_batch_size);
    exit when coalesce(cardinality(v_batch), 0) = 0;
    v_last_id := v_batch[cardinality(v_batch)];
    v_missing := v_missing || array(
      select u.chunk_id from unnest(v_batch) u (chunk_id)
      where not exists (
        select from braid_store.token_vectors t
        where t.tenant_id = v_tenant_id and t.collection_id = v_collection.id and t.chunk_id = u.chunk_id
          and t.embedding_model = v_collection.parts ->> 'token_vector_model'
          and t.dimensions = (v_collection.parts ->> 'token_vector_dimensions')::int
        offset 0)
      order by u.chunk_id);
  end loop;
  return query
  select c.id, braid_store.embedding_input(v_collection, d.title, c.speaker, c.content)
  from unnest(v_missing[:find_missing_token_vectors.chunk_count]) l (chunk_id),
       lateral (
         select c.* from braid_store.chunks c
         where c.tenant_id = v_tenant_id and c.id between l.chunk_id and l.chunk_id
         order by c.id
         offset 0
       ) c,
       lateral (
         select d.title from braid_store.documents d
         where d.tenant_id = v_tenant_id and d.id between c.document_id and c.document_id
         order by d.id
         offset 0
       ) d
  order by c.id;
end
$$;

comment on function braid_calls.find_missing_token_vectors(int, bigint, text) is
  'Do the work of braid.missing_token_vectors.';
