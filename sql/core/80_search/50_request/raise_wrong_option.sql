create or replace function braid_store.raise_wrong_option(options jsonb, name text)
returns void
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  -- A name with a dot names a key of an option.
  v_option text := case when raise_wrong_option.options ? raise_wrong_option.name then raise_wrong_option.name
                        else split_part(raise_wrong_option.name, '.', 1) end;
  v_key text := nullif(substr(raise_wrong_option.name, length(v_option) + 2), '');
  v_value jsonb := case when v_key is null then raise_wrong_option.options -> v_option
                        else raise_wrong_option.options -> v_option -> v_key end;
  v_known record;
  -- Tells whether rank_by takes this value of the former option rerank.
  v_fits boolean := v_value not in ('[]', '{}') and case when jsonb_typeof(v_value) in ('array', 'object')
    then v_value - '{similarity,importance,recency}'::text[] in ('[]', '{}') else false end;
begin
  select k.types, k.hint into v_known from braid_store.known_search_options() k where k.name = raise_wrong_option.name;
  if v_known.types <> '{}' then
    raise exception 'option % is %', concat_ws(': ', v_option, v_key), left(v_value::text, 100)
      using errcode = '22023', hint = v_known.hint;
  elsif v_key is not null then
    raise exception 'option % has an unknown key "%"', v_option, left(v_key, 100)
      using errcode = '22023',
            hint = (select format('The keys are: %s.', string_agg(split_part(k.name, '.', 2), ', ' order by k.name))
                    from braid_store.known_search_options() k where k.name ^@ (v_option || '.'));
  end if;
  raise exception 'options has an unknown key "%"', left(v_option, 100)
    using errcode = '22023',
          hint = case when v_option = 'rerank' and not v_fits
                        then (select 'Use the option rank_by in its place. ' || k.hint
                              from braid_store.known_search_options() k where k.name = 'rank_by')
                      when v_known.hint is not null
                        then format('Write this instead: %s.', replace(v_known.hint, '"?"', left(v_value::text, 100)))
                      else coalesce(
                        braid_store.absent_part_hint('options', v_option),
                        (select format('The keys are: %s.', string_agg(k.name, ', ' order by k.name))
                         from braid_store.known_search_options() k where strpos(k.name, '.') = 0
                           and k.types <> '{}')) end;
end
$$;

comment on function braid_store.raise_wrong_option(jsonb, text) is
  'Raise 22023 for an unknown option or key (named option.key), or for one with an invalid value. The hint lists the '
  'valid values or keys, or names the replacement of a former option or the part to which the option belongs.';
