create or replace function braid_store.check_search_options(options jsonb)
returns void
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  v_known constant text[] := '{full_text_min_score,semantic_min_score}';
  v_wrong record;
begin
  if options is null then
    return;
  elsif jsonb_typeof(options) <> 'object' then
    raise exception 'options is a JSON %', jsonb_typeof(options)
      using errcode = '22023', hint = 'Send a JSON object, not a string that holds JSON.';
  end if;

  select o.key, o.value, o.key = any (v_known) as is_known into v_wrong
  from jsonb_each(options) o
  where o.key <> all (v_known) or jsonb_typeof(o.value) not in ('number', 'null')
     or not pg_input_is_valid(o.value #>> '{}', 'float8')
  limit 1;
  if not found then
    return;
  elsif not v_wrong.is_known then
    raise exception 'options has an unknown key "%"', left(v_wrong.key, 100)
      using errcode = '22023', hint = 'The keys are: ' || array_to_string(v_known, ', ') || '.';
  else
    raise exception 'option % is %', v_wrong.key, left(v_wrong.value::text, 100)
      using errcode = '22023', hint = 'Give a number.';
  end if;
end
$$;

comment on function braid_store.check_search_options(jsonb) is
  'Raises 22023 for an option that is unknown or of another type.';
