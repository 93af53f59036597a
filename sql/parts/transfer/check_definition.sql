-- role: writer
create or replace function braid_calls.check_definition(definition jsonb)
returns void
language plpgsql
stable
parallel safe
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_absent record;
begin
  perform braid_store.require_tenant_id();
  select s.key, braid_store.absent_part_hint('settings', s.key) as hint into v_absent
  from jsonb_each(check_definition.definition) s
  where s.value <> 'null' and braid_store.absent_part_hint('settings', s.key) is not null
  order by s.key
  limit 1;
  if found then
    raise exception 'collection "%" has the setting "%"', left(check_definition.definition ->> 'name', 255),
      v_absent.key
      using errcode = '22023', hint = v_absent.hint;
  end if;
end
$$;

comment on function braid_calls.check_definition(jsonb) is
  'Check the settings of a collection definition. Raise 22023 if a setting belongs to a part that is not installed.';
