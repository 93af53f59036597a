create or replace function braid_store.check_ranking_model_option(given jsonb)
returns void
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
begin
  if jsonb_typeof(given) = 'object' then
    perform braid_store.check_ranking_model(given, 'option ranking_model');
  elsif given = 'true' or jsonb_typeof(given) = 'string' and octet_length(given #>> '{}') not between 1 and 255 then
    raise exception 'option ranking_model is %', left(given::text, 100)
      using errcode = '22023', hint = 'Give the name of a ranking model, or the model itself, or false for none.';
  end if;
end
$$;

comment on function braid_store.check_ranking_model_option(jsonb) is
  'Check the option ranking_model. Raise 22023 unless it is a name, a ranking model or false.';
