-- role: writer
create or replace function braid_calls.write_given_terms(chunk_ids bigint[], terms jsonb, collection text)
returns int
language plpgsql
volatile
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
declare
  c_max_chunks constant int := 10000;
  v_tenant_id int := braid_store.tenant_id_for_writing();
  v_collection braid_store.collections := braid_store.find_collection(write_given_terms.collection);
  v_terms jsonb[];
  v_chunk_ids bigint[];
begin
  if jsonb_typeof(write_given_terms.terms) is distinct from 'array' then
    raise exception 'terms is %', coalesce('a JSON ' || jsonb_typeof(write_given_terms.terms), 'null')
      using errcode = '22023', hint = 'Send a JSON array with an object of terms and weights for each chunk.';
  elsif cardinality(write_given_terms.chunk_ids) > c_max_chunks then
    raise exception 'chunk_ids has % elements, more than %', cardinality(write_given_terms.chunk_ids), c_max_chunks
      using errcode = '54000', hint = 'Store in batches of about 1000.';
  elsif coalesce(cardinality(write_given_terms.chunk_ids), 0) <> jsonb_array_length(write_given_terms.terms)
        or (select count(distinct u) <> count(*) from unnest(write_given_terms.chunk_ids) u) then
    raise exception 'chunk_ids has % elements, terms %; the counts must agree, and each chunk must come once',
                    coalesce(cardinality(write_given_terms.chunk_ids), 0), jsonb_array_length(write_given_terms.terms)
      using errcode = '22023', hint = 'Send one object for each chunk id, in the same order.';
  end if;
  v_terms := array(select t.value from jsonb_array_elements(write_given_terms.terms) with ordinality t
    order by t.ordinality);
  perform braid_store.check_sparse_terms(v_terms, array(
    select format('terms of chunk %s', u.chunk_id)
    from unnest(write_given_terms.chunk_ids) with ordinality u (chunk_id, place) order by u.place));

  v_collection := braid_store.lock_for_writing(v_collection.id, v_tenant_id);
  -- Lock the chunks against deletion, in the order of their ids, as in write_vectors.
  v_chunk_ids := array(
    select c.id
    from (select u.id from unnest(write_given_terms.chunk_ids) u (id) order by u.id offset 0) u,
         lateral (
           select c.id, c.collection_id from braid_store.chunks c
           where c.tenant_id = v_tenant_id and c.id = u.id
           for key share
           offset 0
         ) c
    where c.collection_id = v_collection.id);
  if v_chunk_ids <> '{}' then
    perform braid_store.write_sparse_rows(v_tenant_id, v_collection.id, array_agg(u.chunk_id order by u.place),
                                          array_agg(u.terms order by u.place))
    from unnest(write_given_terms.chunk_ids, v_terms) with ordinality u (chunk_id, terms, place)
    where u.chunk_id in (select unnest(v_chunk_ids));
    perform braid_store.note_due(v_tenant_id, v_collection.id);
  end if;
  return cardinality(v_chunk_ids);
end
$$;

comment on function braid_calls.write_given_terms(bigint[], jsonb, text) is
  'Do the work of braid.store_sparse_terms.';
