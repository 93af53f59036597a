-- role: writer
create or replace function braid_calls.replace_token_vectors(
  chunk_ids bigint[],
  vectors @vector@.halfvec[],
  vector_counts int[],
  collection text,
  embedding_model text
)
returns int
language plpgsql
volatile
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  c_max_chunks constant int := 10000;
  c_max_vectors constant int := 100000;
  v_tenant_id int := braid_store.tenant_id_for_writing();
  v_collection braid_store.collections := braid_store.find_collection(replace_token_vectors.collection);
  v_wrong int;
begin
  if cardinality(replace_token_vectors.chunk_ids) > c_max_chunks then
    raise exception 'chunk_ids has % elements, more than %', cardinality(replace_token_vectors.chunk_ids), c_max_chunks
      using errcode = '54000', hint = 'Store in batches of about 100 chunks.';
  elsif cardinality(replace_token_vectors.vectors) > c_max_vectors then
    raise exception 'vectors has % elements, more than %', cardinality(replace_token_vectors.vectors), c_max_vectors
      using errcode = '54000', hint = 'Store in batches of about 100 chunks.';
  elsif cardinality(replace_token_vectors.chunk_ids) is distinct from cardinality(replace_token_vectors.vector_counts)
        or (select coalesce(sum(u), 0) from unnest(replace_token_vectors.vector_counts) u)
           is distinct from cardinality(replace_token_vectors.vectors)
        or (select count(distinct u) <> count(*) from unnest(replace_token_vectors.chunk_ids) u) then
    raise exception 'chunk_ids has % elements, vector_counts % with the sum %, vectors %; the counts must agree, '
                    'and each chunk must come once',
                    coalesce(cardinality(replace_token_vectors.chunk_ids), 0),
                    coalesce(cardinality(replace_token_vectors.vector_counts), 0),
                    (select coalesce(sum(u), 0) from unnest(replace_token_vectors.vector_counts) u),
                    coalesce(cardinality(replace_token_vectors.vectors), 0)
      using errcode = '22023',
            hint = 'Send for each chunk id how many vectors it has, and the vectors of all chunks in the same order.';
  end if;
  v_collection := braid_store.lock_for_writing(v_collection.id, v_tenant_id);
  perform braid_store.check_token_model(v_collection, replace_token_vectors.embedding_model, 'vectors');
  select u.place into v_wrong
  from unnest(replace_token_vectors.vector_counts) with ordinality u (count, place)
  where (u.count between 1 and (v_collection.parts ->> 'token_vector_count')::int) is not true
  order by u.place
  limit 1;
  if found then
    raise exception 'element % of vector_counts is %', v_wrong,
                    coalesce(replace_token_vectors.vector_counts[v_wrong]::text, 'null')
      using errcode = '22023',
            hint = format('Give each chunk 1 to %s token vectors, by pooling them. Or have an administrator raise '
                          'this limit with braid.set_token_vectors.',
                            (v_collection.parts ->> 'token_vector_count')::int);
  end if;
  perform braid_store.check_token_vectors(v_collection, replace_token_vectors.vectors, 'vectors');
  return braid_store.write_token_vectors(
    v_tenant_id, v_collection, replace_token_vectors.chunk_ids,
    array(select @vector@.l2_normalize(u.vector)
          from unnest(replace_token_vectors.vectors) with ordinality u (vector, place) order by u.place),
    replace_token_vectors.vector_counts);
end
$$;

comment on function braid_calls.replace_token_vectors(bigint[], @vector@.halfvec[], int[], text, text) is
  'Do the work of braid.store_token_vectors.';
