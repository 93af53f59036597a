create or replace function braid_store.check_model_option(given jsonb)
returns void
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
begin
  if jsonb_typeof(given) = 'object' then
    perform braid_store.check_ranking_model(given, 'option model');
  elsif given = 'true' or jsonb_typeof(given) = 'string' and octet_length(given #>> '{}') not between 1 and 255 then
    raise exception 'option model is %', left(given::text, 100)
      using errcode = '22023', hint = 'Give the name of a ranking model, a model itself, or false for none.';
  end if;
end
$$;

comment on function braid_store.check_model_option(jsonb) is
  'Raises 22023 for an option model that is no name, no model and not false.';
