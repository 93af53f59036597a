create or replace function braid_store.check_search_options(options jsonb)
returns void
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  c_max_bytes constant int := 1000000;
  v_known constant jsonb := braid_store.search_option_types();
  v_wrong record;
begin
  if options is null then
    return;
  elsif jsonb_typeof(options) <> 'object' then
    raise exception 'options is a JSON %', jsonb_typeof(options)
      using errcode = '22023', hint = 'Send a JSON object, not a string that holds JSON; GET makes a string of it: use POST.';
  elsif pg_column_size(options) > c_max_bytes then
    raise exception 'options has % bytes, more than %', pg_column_size(options), c_max_bytes
      using errcode = '54000', hint = 'Options are short; what selects rows belongs into filters.';
  end if;

  perform braid_store.arrangement_options(options);
  select o.key, o.value, v_known -> o.key as types into v_wrong
  from jsonb_each(options) o
  where not v_known ? o.key
     or o.value <> 'null' and (not v_known -> o.key ? jsonb_typeof(o.value)
                               or jsonb_typeof(o.value) = 'number' and not pg_input_is_valid(o.value::text, 'float8'))
  limit 1;
  if not found then
    perform braid_store.snippet_options(options),
            braid_store.check_normalisation_option(options -> 'normalisation');
    if (options ->> 'ef_search')::float8 not between 1 and 1000 then
      raise exception 'option ef_search is %', options ->> 'ef_search'
        using errcode = '22023', hint = 'Use 1 to 1000, or leave it out: it is chosen for each search.';
    elsif options ->> 'statistics_scope' not in ('collection', 'filter') then
      raise exception 'option statistics_scope is ''%''', left(options ->> 'statistics_scope', 100)
        using errcode = '22023', hint = 'Use collection or filter.';
    end if;
  elsif v_wrong.types is null then
    raise exception 'options has an unknown key "%"', left(v_wrong.key, 100)
      using errcode = '22023',
            hint = 'The keys are: ' || (select string_agg(k, ', ' order by k) from jsonb_object_keys(v_known) k) || '.';
  else
    raise exception 'option % is %', v_wrong.key, left(v_wrong.value::text, 100)
      using errcode = '22023', hint = braid_store.option_hint(v_wrong.key, v_wrong.types);
  end if;
end
$$;

comment on function braid_store.check_search_options(jsonb) is
  'Raises 22023 for an option that is unknown or of another type, or has a value that it cannot have. Boosts are checked as '
  'they are compiled.';
