create or replace function braid_store.absent_keys(keys text[], tenant_id int, collection_id int)
returns text[]
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
set jit = off
as $$
declare
  v_key text;
  v_is_there boolean;
  v_absent text[] := '{}';
begin
  foreach v_key in array coalesce(absent_keys.keys, '{}') loop
    execute format('select exists (select from braid_store.chunks c where c.tenant_id = $1 and c.collection_id = $2 '
                   'and %s is not null)', braid_store.filter_metadata_field(v_key))
    into v_is_there
    using absent_keys.tenant_id, absent_keys.collection_id;
    if not v_is_there then
      v_absent := v_absent || v_key;
    end if;
  end loop;
  return v_absent;
end
$$;

comment on function braid_store.absent_keys(text[], int, int) is
  'Returns those of the given metadata keys that no chunk of a collection has. To be sure of one, it looks at every '
  'chunk.';
