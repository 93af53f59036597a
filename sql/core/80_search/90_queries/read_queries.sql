create or replace function braid_store.read_queries(queries jsonb)
returns table (place int, query_text text, query_embedding @vector@.vector, weight float8, is_expansion boolean)
language plpgsql
immutable
parallel unsafe
security invoker
rows 4
set search_path = pg_catalog, pg_temp
as $$
declare
  c_most constant int := 16;
  -- A program guesses, so a query that a person asked counts for more.
  c_expansion_weight constant float8 := 0.5;
  v_query jsonb;
  v_wrong record;
begin
  if jsonb_typeof(queries) is distinct from 'array' or jsonb_array_length(queries) not between 1 and c_most then
    raise exception 'queries is %', case when jsonb_typeof(queries) = 'array'
                                         then format('an array of %s', jsonb_array_length(queries))
                                         else coalesce('a JSON ' || jsonb_typeof(queries), 'null') end
      using errcode = '22023',
            hint = format('Give an array of 1 to %s texts, or objects such as {"text": "...", "embedding": [...]}. '
                          'GET turns JSON into a string: use POST.', c_most);
  end if;
  for place, v_query in
    select q.ordinality::int, case jsonb_typeof(q.value) when 'string' then jsonb_build_object('text', q.value)
                                                        else q.value end
    from jsonb_array_elements(queries) with ordinality q
  loop
    if jsonb_typeof(v_query) <> 'object' then
      raise exception 'query % is a JSON %', place, jsonb_typeof(v_query)
        using errcode = '22023', hint = 'Give a text, or an object such as {"text": "...", "embedding": [...]}.';
    end if;
    v_query := jsonb_strip_nulls(v_query);
    select o.key, left(o.value::text, 100) as value, k.hint into v_wrong
    from jsonb_each(v_query) o
    left join (values
      ('text', 'Give a text.'),
      ('embedding', 'Give an array of numbers, as many as the collection has dimensions.'),
      ('weight', 'Use a number from 1e-9 to 1e9, usually 1.'),
      ('expansion', 'Give true for a query that a program derived from another query.')
    ) k (name, hint) on k.name = o.key
    where case o.key
            when 'text' then jsonb_typeof(o.value) = 'string'
            when 'embedding' then jsonb_typeof(o.value) in ('array', 'string')
            when 'weight' then braid_store.is_number(o.value, 1e-9, 1e9)
            when 'expansion' then jsonb_typeof(o.value) = 'boolean'
          end is not true
    order by o.key
    limit 1;
    if found then
      raise exception 'query %: % is %', place, left(v_wrong.key, 100), v_wrong.value
        using errcode = '22023', hint = coalesce(v_wrong.hint, 'Its keys are: text, embedding, weight, expansion.');
    end if;
    query_text := v_query ->> 'text';
    is_expansion := coalesce((v_query ->> 'expansion')::boolean, false);
    weight := coalesce((v_query ->> 'weight')::float8, case when is_expansion then c_expansion_weight else 1 end);
    begin
      query_embedding := v_query ->> 'embedding';
    exception when data_exception or program_limit_exceeded then
      raise exception 'query %: embedding is no vector: %', place, sqlerrm
        using errcode = '22023', hint = 'Give 1 to 16000 finite numbers, as an array or as a string ''[0.1, ...]''.';
    end;
    return next;
  end loop;
end
$$;

comment on function braid_store.read_queries(jsonb) is
  'Read the queries of a multi_search, in their order. Raise 22023 for an invalid query.';
