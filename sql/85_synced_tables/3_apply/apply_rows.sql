create or replace function braid_store.apply_rows(
  synced braid_store.synced_tables,
  query text,
  collection text,
  tenant text,
  tenants text[],
  keys jsonb[],
  only_gone boolean
)
returns int
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  c_most_readings constant int := 10;
  v_part record;
  v_part_number int;
  v_read bytea;
  v_written bytea[] := '{}'; -- by number of the part
  v_count int := 0;
  v_is_changed boolean;
begin
  for v_reading in 1..c_most_readings loop
    v_is_changed := false;
    v_part_number := 0;
    for v_part in
      select * from braid_store.read_rows(apply_rows.query, apply_rows.tenant, apply_rows.tenants, apply_rows.keys)
    loop
      if only_gone then
        v_count := v_count + case v_reading when 1 then jsonb_array_length(v_part.documents) else 0 end;
        v_part.documents := '[]';
      end if;
      if synced.mode <> 'deferred' then
        v_part_number := v_part_number + 1;
        v_read := sha256(convert_to(v_part::text, 'UTF8'));
        continue when v_written[v_part_number] = v_read;
        v_written[v_part_number] := v_read;
        v_is_changed := true;
      end if;
      -- The caller sets it back.
      perform set_config('braid.tenant', v_part.row_tenant, true);
      -- A tenant that was dropped has nothing that could be deleted.
      if braid_store.session_tenant_key() is distinct from v_part.row_tenant then
        continue when v_part.documents = '[]' and not braid_store.row_tenant_exists(v_part.row_tenant);
        raise exception 'tenant "%" does not exist, or login "%" may not act for it', left(v_part.row_tenant, 255), session_user
          using errcode = '42704',
                hint = 'Create it with braid.create_tenant; let the login be a service: braid.add_trusted_role.';
      end if;
      perform braid_store.apply_part(synced, apply_rows.collection, v_part.documents, v_part.gone_ids);
      if v_reading = 1 then
        v_count := v_count + jsonb_array_length(v_part.documents) + cardinality(v_part.gone_ids);
      end if;
    end loop;
    -- A trigger may have brought a row over between reading and writing; it is read again while its document is locked.
    exit when not v_is_changed or synced.mode = 'deferred';
    if v_reading = c_most_readings then
      raise exception 'rows change faster than they can be brought over' using errcode = '55P03', hint = 'Call again.';
    end if;
  end loop;
  return v_count;
end
$$;

comment on function braid_store.apply_rows(braid_store.synced_tables, text, text, text, text[], jsonb[], boolean) is
  'Makes the documents of keys agree with the rows of a synced table. The arguments are as in read_rows; only_gone: only '
  'deletes. Leaves braid.tenant set. Returns how many documents it looked at.';
