create or replace function braid_store.read_normalisation_option(
  normalisation jsonb,
  inout options braid_store.search_options
)
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  v_key text;
  v_value jsonb;
begin
  if jsonb_typeof(normalisation) = 'string' then
    perform braid_store.check_normalisation(normalisation #>> '{}');
    options.full_text_normalisation := normalisation #>> '{}';
    options.semantic_normalisation := normalisation #>> '{}';
    options.sparse_normalisation := normalisation #>> '{}';
  elsif jsonb_typeof(normalisation) = 'object' then
    for v_key, v_value in select n.key, n.value from jsonb_each(normalisation) n loop
      if v_key not in ('full_text', 'semantic', 'sparse') then
        raise exception 'option normalisation has an unknown key "%"', left(v_key, 100)
          using errcode = '22023', hint = 'The keys are: full_text, semantic, sparse.';
      elsif jsonb_typeof(v_value) <> 'string' then
        raise exception 'option normalisation: % is %', v_key, left(v_value::text, 100)
          using errcode = '22023', hint = 'Give the name of a normalisation, such as centroid.';
      end if;
      perform braid_store.check_normalisation(v_value #>> '{}');
    end loop;
    options.full_text_normalisation := normalisation ->> 'full_text';
    options.semantic_normalisation := normalisation ->> 'semantic';
    options.sparse_normalisation := normalisation ->> 'sparse';
  end if;
end
$$;

comment on function braid_store.read_normalisation_option(jsonb, braid_store.search_options) is
  'Returns options with the normalisation of each leg''s scores filled in. normalisation: the JSON value of the '
  'option, a name or an object with a name for each leg. Raises 22023 for values that cannot be used.';
