create or replace function braid_store.check_configuration(configuration jsonb)
returns void
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  c_known constant text := 'mode, match_count, full_text_weight, semantic_weight, filters, collection, fusion, rrf_k, '
                           'candidate_count, min_score, match, options';
  v_wrong record;
begin
  if jsonb_typeof(check_configuration.configuration) is distinct from 'object' then
    raise exception 'configuration is %', coalesce('a JSON ' || jsonb_typeof(check_configuration.configuration), 'null')
      using errcode = '22023',
            hint = 'Give an object of the arguments of braid.search_json, such as {"fusion": "rrf"}. GET turns JSON '
                   'into a string: use POST.';
  end if;
  select c.key, c.value, k.hint into v_wrong
  from jsonb_each(check_configuration.configuration) c
  left join (values
    ('mode', 'Use hybrid, full_text or semantic.'),
    ('match_count', 'Use a whole number from 1 to 10000.'),
    ('candidate_count', 'Use a whole number from 1 to 100000.'),
    ('full_text_weight', 'Give a number.'), ('semantic_weight', 'Give a number.'), ('rrf_k', 'Give a number.'),
    ('min_score', 'Give a number.'),
    ('filters', 'Give an object.'), ('options', 'Give an object.'),
    ('collection', 'Give a name.'), ('fusion', 'Give a name.'), ('match', 'Give a string.')
  ) k (key, hint) on k.key = c.key
  where k.key is null
     or c.value <> 'null' and not case
          when c.key = 'mode' then c.value in ('"hybrid"', '"full_text"', '"semantic"')
          when c.key = 'match_count'
            then braid_store.is_number(c.value, 1, 10000)
              and trunc((c.value #>> '{}')::numeric) = (c.value #>> '{}')::numeric
          when c.key = 'candidate_count'
            then braid_store.is_number(c.value, 1, 100000)
              and trunc((c.value #>> '{}')::numeric) = (c.value #>> '{}')::numeric
          when c.key in ('full_text_weight', 'semantic_weight', 'rrf_k', 'min_score')
            then braid_store.is_number(c.value, -1e300, 1e300)
          when c.key in ('filters', 'options') then jsonb_typeof(c.value) = 'object'
          else jsonb_typeof(c.value) = 'string'
        end
  order by c.key
  limit 1;
  if found and v_wrong.hint is null then
    raise exception 'configuration has the unknown key "%"', left(v_wrong.key, 100)
      using errcode = '22023', hint = format('%sKeys are %s. Put options of searches into options.',
                                              case v_wrong.key when 'limit' then 'Give match_count. ' end, c_known);
  elsif found then
    raise exception 'configuration: % is %', v_wrong.key, left(v_wrong.value::text, 100)
      using errcode = '22023',
            hint = concat(v_wrong.hint, case when v_wrong.key = 'mode'
              then braid_store.other_name(v_wrong.value #>> '{}') end);
  end if;
end
$$;

comment on function braid_store.check_configuration(jsonb) is
  'Check the form of a configuration to evaluate; raise 22023 if it is wrong. The search itself checks the values.';
