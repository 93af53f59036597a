create or replace function braid_store.check_search_space(search_space jsonb, configuration jsonb, fusion text)
returns void
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  c_max_bytes constant int := 100000;
  c_max_values constant int := 50;
  v_mode text := coalesce(configuration ->> 'mode', 'hybrid');
  v_given jsonb := configuration - 'options' || coalesce(nullif(configuration -> 'options', 'null'), '{}');
  v_key record;
  v_wrong record;
begin
  if jsonb_typeof(search_space) is distinct from 'object' or search_space = '{}' then
    raise exception 'search_space is %', case when search_space = '{}' then 'empty'
                                              else coalesce('a JSON ' || jsonb_typeof(search_space), 'null') end
      using errcode = '22023',
            hint = 'Give an object of lists of values, such as {"k1": [0.9, 1.2], "title_weight": [1, 2]}, or leave '
                   'it out. GET turns JSON into a string: use POST.';
  elsif octet_length(search_space::text) > c_max_bytes then
    raise exception 'search_space has % bytes, more than %', octet_length(search_space::text), c_max_bytes
      using errcode = '54000', hint = 'Give fewer values.';
  end if;
  for v_key in
    select s.key, s.value, k.name, k.modes, k.argument
    from jsonb_each(search_space) s
    left join braid_store.known_tuning_keys() k on k.name = s.key
    order by s.key
  loop
    if v_key.name is null then
      raise exception 'search_space has the unknown key "%"', left(v_key.key, 100)
        using errcode = '22023',
              hint = coalesce(
                braid_store.absent_part_hint('settings', v_key.key),
                'The keys are: ' || (select string_agg(k.name, ', ' order by k.name)
                  from braid_store.known_tuning_keys() k) || '.');
    elsif v_mode <> all (v_key.modes) then
      raise exception 'search_space: % changes nothing in searches of the mode %', v_key.key, v_mode
        using errcode = '22023', hint = 'Leave this key out, or tune searches of another mode.';
    elsif v_given -> v_key.argument <> 'null' then
      raise exception 'search_space has %, and configuration has %, which overrides it', v_key.key, v_key.argument
        using errcode = '22023', hint = 'Give this key in only one of search_space and configuration.';
    elsif v_key.name in ('full_text_weight', 'semantic_weight', 'sparse_weight')
          and not braid_store.keeps_weights(check_search_space.fusion, v_given ->> 'fusion') then
      raise exception 'search_space has %, which changes nothing: configuration asks for the fusion %, and the '
        'weights of the collection are for %',
                      v_key.key, v_given ->> 'fusion', check_search_space.fusion
        using errcode = '22023',
          hint = 'Leave the fusion out of configuration and give it in search_space, or leave the weights out.';
    elsif jsonb_typeof(v_key.value) <> 'array' or jsonb_array_length(v_key.value) not between 1 and c_max_values then
      raise exception 'search_space: % is %', v_key.key, left(v_key.value::text, 100)
        using errcode = '22023', hint = format('Give a list of 1 to %s values.', c_max_values);
    end if;
    select v.value, coalesce(w.hint, k.hint) as hint into v_wrong
    from jsonb_array_elements(v_key.value) with ordinality v (value, place)
    left join lateral (
      select w.hint from braid_store.wrong_ranking_setting(jsonb_build_object(v_key.key, v.value)) w where w.is_known
    ) w on true
    left join (values
      ('candidate_count', 'Use whole numbers from 1 to 100000.'), ('ef_search', 'Use whole numbers from 1 to 1000.'),
      ('boosts', 'Each value is an array of boosts, such as [{"recency": {"half_life": "30 days"}}]; [] is none.')
    ) k (name, hint) on k.name = v_key.key
    where w.hint is not null
       or case v_key.key
            when 'boosts' then jsonb_typeof(v.value) <> 'array'
            when 'candidate_count' then not braid_store.is_whole_number(v.value, 1, 100000)
            when 'ef_search' then not braid_store.is_whole_number(v.value, 1, 1000)
            else false
          end
    order by v.place
    limit 1;
    if found then
      raise exception 'search_space: % has %', v_key.key, left(v_wrong.value::text, 100)
        using errcode = '22023', hint = v_wrong.hint;
    end if;
    select v.value into v_wrong from jsonb_array_elements(v_key.value) v group by v.value having count(*) > 1 limit 1;
    if found then
      raise exception 'search_space: % has % twice', v_key.key, left(v_wrong.value::text, 100)
        using errcode = '22023', hint = 'Give each value once.';
    end if;
  end loop;
end
$$;

comment on function braid_store.check_search_space(jsonb, jsonb, text) is
  'Check a search space. Raise 22023 if its form is wrong, or if a key changes nothing for searches of the '
  'configuration. fusion is the collection''s fusion.';
