-- role: reader
-- standby: yes
create or replace function braid_calls.passage_options(options jsonb)
returns jsonb
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
begin
  if jsonb_typeof(options) = 'object' and coalesce(options -> 'cursor', 'null') <> 'null' then
    raise exception 'a context has no pages'
      using errcode = '22023', hint = 'Leave out the option cursor, and raise match_count and token_budget.';
  elsif options is null or jsonb_typeof(options) = 'object' then
    return '{"context": true}'::jsonb || jsonb_strip_nulls(coalesce(options, '{}'))
           || case when options -> 'context' = 'false' then '{"context": true}' else '{}' end::jsonb;
  end if;
  return options;
end
$$;

comment on function braid_calls.passage_options(jsonb) is
  'Return the options of a search whose rows must have passages. A passage gets no neighbouring chunks unless the '
  'option context asks for them. Raise 22023 for a cursor.';
