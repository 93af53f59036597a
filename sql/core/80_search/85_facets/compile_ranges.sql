create or replace function braid_store.compile_ranges(name text, ranges jsonb, type text, time_zone text,
                                                      out bounds text, out tables text)
returns record
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  c_max_ranges constant int := 1000;
  c_hint constant text := 'Give an array of 1 to 1000 objects, each with gte, lt or both, and a label if you like: '
                          '[{"lt": 10, "label": "cheap"}, {"gte": 10, "lt": 20}, {"gte": 20}]. A range has its lower '
                          'bound, but not its upper bound.';
  c_sql_type constant text := case type when 'time' then 'timestamptz' else 'numeric' end;
  v_range jsonb;
  v_key text;
  v_bound text;
  v_bounds text[];
  v_is_empty boolean;
  v_all text[] := '{}';
  v_rows text[] := '{}';
begin
  if jsonb_typeof(compile_ranges.ranges) <> 'array' or jsonb_array_length(compile_ranges.ranges)
    not between 1 and c_max_ranges then
    perform braid_store.aggregation_error(compile_ranges.name, 'ranges', compile_ranges.ranges, c_hint);
  end if;
  for v_range in select jsonb_strip_nulls(e.value) from jsonb_array_elements(compile_ranges.ranges) e loop
    if jsonb_typeof(v_range) <> 'object' or v_range - '{gte,lt,label}'::text[] <> '{}' or not v_range ?| '{gte,lt}'
      or jsonb_typeof(coalesce(v_range -> 'label', '""')) <> 'string' then
      perform braid_store.aggregation_error(compile_ranges.name, 'an element of ranges', v_range, c_hint);
    end if;
    v_bounds := '{}';
    foreach v_key in array '{gte,lt}'::text[] loop
      v_bound := null;
      if v_range ? v_key then
        execute format('select (%s)::text',
                       braid_store.typed_value(case compile_ranges.type
                                                 when 'time' then format('(%L)', v_range ->> v_key)
                                                 else format('%L::jsonb', v_range -> v_key) end,
                                               compile_ranges.type,
                                               compile_ranges.time_zone)) into v_bound;
        if v_bound is null then
          perform braid_store.aggregation_error(compile_ranges.name, v_key || ' of a range', v_range -> v_key,
            case compile_ranges.type when 'time' then 'Give an ISO 8601 text, such as "2026-02-03".'
                                     else 'Give a number, or for times the type "time".' end);
        end if;
      end if;
      v_bounds := v_bounds || v_bound;
    end loop;
    execute format('select %L::%3$s >= %2$L::%3$s', v_bounds[1], v_bounds[2], c_sql_type) into v_is_empty;
    if v_is_empty then
      perform braid_store.aggregation_error(compile_ranges.name, 'an element of ranges', v_range,
                                            'Give a gte that is less than lt.');
    end if;
    v_all := v_all || v_bounds;
    v_rows := v_rows || format('(%L::%2$s, %3$L::%2$s, %4$L::jsonb)', v_bounds[1], c_sql_type, v_bounds[2], v_range);
  end loop;

  execute format('select array_agg(distinct b.bound order by b.bound)::text from unnest(%L::%s[]) b (bound) '
                 'where b.bound is not null', v_all, c_sql_type)
    into v_bound;
  bounds := format('%L::%s[]', v_bound, c_sql_type);
  -- width_bucket() gives a value the number of the greatest bound that it reaches.
  tables := format($query$
    select row_number() over () as place, coalesce(array_position(%1$s, r.gte), 0) as first,
           coalesce(array_position(%1$s, r.lt), cardinality(%1$s) + 1) as last, r.value
    from (values %2$s) r (gte, lt, value)
    $query$, bounds, array_to_string(v_rows, ', '));
end
$$;

comment on function braid_store.compile_ranges(text, jsonb, text, text) is
  'Compile the ranges of an aggregation. bounds: all bounds in order, an SQL array. tables: a query for the ranges, '
  'each with the numbers of its first bound and of its last bound in this array.';
