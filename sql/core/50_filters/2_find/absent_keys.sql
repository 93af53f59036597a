create or replace function braid_store.absent_keys(keys text[], tenant_id int, collection_id int, most_chunks int)
returns text[]
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
set jit = off
as $$
declare
  c_most_keys constant int := 8;
  v_keys text[] := absent_keys.keys[:c_most_keys];
  v_chunk_count bigint := (
    select sum(s.chunk_count) from braid_store.segments s
    where s.tenant_id = absent_keys.tenant_id and s.collection_id = absent_keys.collection_id);
  v_present boolean[];
begin
  if coalesce(cardinality(v_keys), 0) = 0 or v_chunk_count > absent_keys.most_chunks then
    return '{}';
  end if;
  execute format(
    'select array[%s]',
    (select string_agg(format(
              'exists (select from braid_store.chunks c where c.tenant_id = $1 and c.collection_id = $2 and %s is not '
                'null)',
              braid_store.filter_metadata_field('metadata.' || k.key)), ', ' order by k.place)
     from unnest(v_keys) with ordinality k (key, place)))
  into v_present
  using absent_keys.tenant_id, absent_keys.collection_id;
  return array(select k.key from unnest(v_keys, v_present) with ordinality k (key, is_present, place)
               where k.is_present is not true order by k.place);
end
$$;

comment on function braid_store.absent_keys(text[], int, int, int) is
  'Return the metadata keys, among the first 8, that no chunk of a collection has. It reads chunks until it has seen '
  'each key. If the collection has more than most_chunks chunks, it reads none and returns no key.';
