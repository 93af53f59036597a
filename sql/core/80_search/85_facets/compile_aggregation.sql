create or replace function braid_store.compile_aggregation(name text, given jsonb, number int, collection_id int,
                                                           shows_missing boolean)
returns braid_store.aggregation
language plpgsql
stable
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  c_kinds constant text[] := '{values,ranges,interval,buckets,statistics,percentiles,total}';
  c_steps constant jsonb := '{"hour": "1 hour", "day": "1 day", "week": "7 days", "month": "1 month",
    "quarter": "3 months", "year": "1 year"}';
  c_instant constant text := $sql$to_jsonb((to_jsonb((%s) at time zone 'UTC') #>> '{}') || 'Z')$sql$;
  -- Where clocks change at midnight, a day may begin at 1 o'clock, or have midnight twice.
  c_start constant text :=
    'least((%1$s) at time zone %2$L, (%1$s - interval ''1 hour'') at time zone %2$L + interval ''1 hour'')';
  -- Where clocks change by half an hour, an hour may begin within the hour before.
  c_hour constant text := 'greatest(c.bucket, lag(c.bucket + ''1 hour''::interval) over (order by c.bucket))';
  -- Nulls in filters have a meaning.
  v_given jsonb := case when jsonb_typeof(given) = 'object' then given - array(
    select e.key from jsonb_each(given) e where e.value = 'null') else given end;
  v_kinds text[];
  v_field text;
  v_key text;
  v_name text;
  v_type text;
  v_zone text;
  v_interval text;
  v_value text;
  v_values text;
  v_bucket text := '%s'; -- the bucket of a value
  v_buckets text; -- the buckets of a group a
  v_count text; -- the number of chunks or documents of a group
  v_from text; -- the table that has the values
  v_ranges record;
  v_places text;
  v_extra text := '';
  v_aggregation braid_store.aggregation;
begin
  if jsonb_typeof(v_given) is distinct from 'object' then
    raise exception 'aggregations: % is %', to_json(left(name, 100)), coalesce(left(v_given::text, 100), 'null')
      using errcode = '22023', hint = 'Give an object, such as {"key": "price", "interval": 10}.';
  end if;
  select min(k) into v_field from jsonb_object_keys(v_given) k
  where k <> all (c_kinds || '{key,type,time_zone,count,filters,query}'::text[]);
  if v_field is not null then
    raise exception 'aggregations: % has the unknown field %', to_json(left(name, 100)), to_json(left(v_field, 100))
      using errcode = '22023',
            hint = 'Fields are key, values, ranges, interval, buckets, statistics, percentiles, total, type, '
                   'time_zone, count, filters and query.';
  end if;
  v_kinds := array(select k from unnest(c_kinds) k where v_given ? k);
  if cardinality(v_kinds) <> 1 and v_kinds <> '{statistics,percentiles}' then
    raise exception 'aggregations: % has %', to_json(left(name, 100)),
                    coalesce(nullif(array_to_string(v_kinds, ' and '), ''), 'nothing to count')
      using errcode = '22023',
            hint = 'Give one of values, ranges, interval, buckets, statistics, percentiles and total.';
  end if;

  for v_field, v_key in
    select f.name, f.hint
    from (values ('key', 'string', 'Give the name of a column or metadata key.'),
                 ('type', 'string', 'Give number or time.'),
                 ('time_zone', 'string', 'Give a name of the time zone database, such as Europe/Berlin.'),
                 ('count', 'string', 'Give chunks or documents.'),
                 ('filters', 'object', 'Give an object, as for the argument filters.'),
                 ('query', 'boolean', 'Give true or false.'),
                 ('statistics', 'boolean', 'Give true.'),
                 ('total', 'boolean', 'Give true.')) f (name, type, hint)
    where v_given ? f.name
      and (jsonb_typeof(v_given -> f.name) <> f.type
           or f.name = 'type' and v_given ->> 'type' not in ('number', 'time')
           or f.name = 'count' and v_given ->> 'count' not in ('chunks', 'documents')
           or f.name in ('statistics', 'total') and v_given -> f.name <> 'true')
  loop
    perform braid_store.aggregation_error(name, v_field, v_given -> v_field, v_key);
  end loop;

  v_aggregation.name := name;
  v_aggregation.filters := v_given -> 'filters';
  v_aggregation.follows_query := coalesce((v_given -> 'query')::boolean, true);
  v_aggregation.is_total := v_given ? 'total';
  v_aggregation.tables := '';
  if v_aggregation.is_total then
    v_aggregation.rows := $query$
      select 1 as place,
             jsonb_build_object('chunks', jsonb_build_object('count', count(*), 'relation', 'equal'),
                                'documents', jsonb_build_object('count', count(distinct m.document_id),
                                                                'relation', 'equal')) as value, count(*) as count
      from m
      $query$;
    return v_aggregation;
  end if;

  v_key := coalesce(v_given ->> 'key', name);
  if v_key ^@ '$' then
    raise exception 'keys: unknown key %', to_json(left(v_key, 100))
      using errcode = '22023', hint = 'Write a metadata key that begins with $ as "metadata.$key".';
  end if;
  v_name := regexp_replace(v_key, E'^metadata\\.', '');
  v_type := case
    when v_given ? 'values' then 'value'
    when v_given ? 'type' then v_given ->> 'type'
    when v_key = 'occurred_at' or jsonb_typeof(v_given -> 'interval') = 'string'
      or v_given @? '$.ranges[*].*.gte ? (@.type() == "string")' then 'time'
    when v_key <> 'importance' and exists (
      select from braid_store.indexed_attributes a
      where a.collection_id = compile_aggregation.collection_id and a.removed_at is null and a.type = 'time'
        and a.name = v_name collate "C") then 'time'
    else 'number' end;
  v_zone := braid_store.zone_name(v_given ->> 'time_zone');
  v_value := braid_store.counted_value(v_key, v_type);
  if v_value is null and (v_key in ('speaker', 'category', 'language', 'external_id', 'source_uri')
                          or v_key = 'importance' and v_type = 'time' or v_key = 'occurred_at') then
    if v_key = 'occurred_at' and v_type = 'value' then
      raise exception 'keys: occurred_at cannot be counted'
        using errcode = '22023',
              hint = 'Count days, weeks, months or years: aggregations => {"occurred_at": {"interval": "month"}}. '
                     'Write a metadata key named occurred_at as "metadata.occurred_at".';
    end if;
    raise exception 'aggregations: key % has no %', to_json(v_key), v_type
      using errcode = '22023',
            hint = format('Numbers are in importance, times in occurred_at, and both in metadata. Write a metadata key '
                          'of this name as "metadata.%s".', v_key);
  end if;
  if v_value is null then
    v_aggregation.field := braid_store.filter_metadata_field(v_key);
    v_field := format('f.f%s', number);
    v_value := braid_store.typed_value(v_field, v_type, v_zone);
    if v_type <> 'value' then
      v_values := format('case when %1$sjsonb_typeof(%2$s) = ''array'' then %2$s end',
                         case v_type when 'time' then v_field || ' like ''[%'' and ' else '' end,
                         case v_type when 'time' then v_aggregation.field else v_field end);
    end if;
    if v_type = 'time' then
      v_aggregation.field := case when position('.' in v_name) = 0 then format('(c.metadata ->> %L)', v_name)
                                  else format('(%s #>> ''{}'')', v_aggregation.field) end;
    end if;
  end if;
  if v_key = 'speaker' then
    -- As in filters, each of several speakers counts. A text is grouped faster than JSON.
    v_values := format($query$
      case when %s and c.metadata @? 'strict $.speakers[0]'
           then jsonb_path_query_array(c.metadata, 'strict $.speakers[*] ? (@.type() == "string")') end
      $query$, braid_store.speaks_with_others());
  end if;
  v_aggregation.columns := format('%s as one%s, %s as many%2$s', v_value, number, coalesce(v_values, 'null::jsonb'));
  v_values := braid_store.typed_value(case v_type when 'time' then '(e.value #>> ''{}'')' else 'e.value' end, v_type,
                                      v_zone);
  v_field := case v_type when 'number' then 'numeric' when 'time' then 'timestamptz' else 'jsonb' end;
  v_from := 'm';
  v_count := 'count(*)';
  if v_given ->> 'count' = 'documents' then
    -- A document has the values of its chunks, each once.
    v_from := format('d%s', number);
    v_aggregation.tables := format($query$
      d%1$s as (
        select null::%2$s as one%1$s,
               jsonb_path_query_array(jsonb_agg(distinct coalesce(m.many%1$s, to_jsonb(m.one%1$s))), 'lax $[*][*]')
                 as many%1$s
        from m group by m.document_id
      ),
      $query$, number, v_field);
  end if;

  if v_kinds <@ '{statistics,percentiles}' then
    return braid_store.compile_statistics(v_aggregation, v_given, number, v_from, v_type, v_values, c_instant);
  end if;

  if v_key = 'importance' and v_type = 'number' and v_from = 'm' then
    -- A conversion of each chunk's importance would take as long as reading the chunk.
    v_from := format('i%s', number);
    v_count := 'sum(m.n)::bigint';
    v_aggregation.tables := format($query$
      i%1$s as (select m.one%1$s::numeric as one%1$s, null::jsonb as many%1$s, count(*) as n from m group by m.one%1$s),
      $query$, number);
  end if;
  if v_given ? 'values' then
    if not braid_store.is_whole_number(v_given -> 'values', 1, 10000) then
      perform braid_store.aggregation_error(name, 'values', v_given -> 'values', 'Give 1 to 10000.');
    end if;
    v_places := format($query$
      select v.place, v.bucket, v.n
      from (
        select row_number() over (order by c.n desc, case when jsonb_typeof(c.bucket) = 'number' then c.bucket::numeric
                                    end, c.bucket #>> '{}' collate "C", jsonb_typeof(c.bucket)) as place, c.bucket, c.n
        from c%s c where c.bucket is not null
      ) v
      where v.place <= %s
      $query$, number, (v_given -> 'values')::int);
    v_buckets := $query$
      select distinct e.value as bucket
      from (select coalesce(a.many, to_jsonb(a.one)) as value offset 0) o,
           jsonb_array_elements(case when jsonb_typeof(o.value) = 'array' then o.value
                                     else jsonb_build_array(o.value) end) e
      where jsonb_typeof(e.value) in ('string', 'number', 'boolean')
      $query$;
  elsif v_given ? 'ranges' then
    select * into v_ranges from braid_store.compile_ranges(name, v_given -> 'ranges', v_type, v_zone);
    v_aggregation.tables := v_aggregation.tables || format('r%s as (%s),', number, v_ranges.tables);
    v_bucket := format('width_bucket(%%1$s, %s)', replace(v_ranges.bounds, '%', '%%'));
    v_places := format('select r.place, r.value, coalesce(c.n, 0) from r%1$s r left join c%1$s c on c.bucket = r.place',
                       number);
  elsif v_given ? 'buckets' then
    if not braid_store.is_whole_number(v_given -> 'buckets', 1, 1000) then
      perform braid_store.aggregation_error(name, 'buckets', v_given -> 'buckets', 'Give 1 to 1000.');
    end if;
    -- Numbers are compared with the bounds themselves. Times are in the bucket at (time - least) / width. The width may
    -- be rounded, so the last bucket ends with the greatest value.
    v_aggregation.tables := v_aggregation.tables || format($query$
      b%1$s as materialized (
        select b.low, b.high, b.width, %5$s as bounds
        from (
          select b.low, b.high, coalesce(nullif(%4$s, 0), 1) as width
          from (
            select least(o.low, e.low) as low, greatest(o.high, e.high) as high
            from (select min(one%1$s) as low, max(one%1$s) as high from %2$s) o,
                 (select min(%3$s) as low, max(%3$s) as high from %2$s m, jsonb_array_elements(m.many%1$s) e
                  where m.many%1$s is not null) e
          ) b
        ) b
      ),
      $query$, number, v_from, v_values,
      format(case v_type when 'time' then 'ceil(extract(epoch from b.high - b.low) * 1e6 / %s) / 1e6'
                         else '(b.high - b.low) / %s' end, v_given -> 'buckets'),
      case v_type when 'time' then 'null' else format(
        -- Whole numbers keep more digits than others, and the bounds must ascend.
        'array(select max(greatest(b.low, braid_store.computed_number(b.low + i * b.width))) over (order by i) '
        'from generate_series(1, %s) i order by i)',
        (v_given -> 'buckets')::int - 1) end);
    -- least() ignores nulls.
    v_bucket := case v_type
      when 'time' then format('case when %%1$s is not null '
                              'then least(div(extract(epoch from %%1$s - b.low), b.width), %s) end',
                              (v_given -> 'buckets')::int - 1)
      else 'width_bucket(%1$s, b.bounds)' end;
    v_extra := format(', b%s b', number);
    v_places := format($query$
      select i.bucket + 1, jsonb_build_object('gte', %3$s, case when i.is_last then 'lte' else 'lt' end,
                                              case when i.is_last then %5$s else %4$s end), coalesce(c.n, 0)
      from b%1$s b,
           lateral (
             select i as bucket, i = %2$s as is_last from generate_series(0, (%2$s)::int) i
           ) i
      left join c%1$s c on c.bucket = i.bucket
      $query$, number, format(v_bucket, 'b.high'),
      case v_type
        when 'time' then format(c_instant, 'b.low + make_interval(secs => (i.bucket * b.width)::float8)')
        else 'case i.bucket when 0 then trim_scale(b.low) else b.bounds[i.bucket] end' end,
      case v_type
        when 'time' then format(c_instant, 'b.low + make_interval(secs => ((i.bucket + 1) * b.width)::float8)')
        else 'b.bounds[i.bucket + 1]' end,
      format(case v_type when 'time' then c_instant else 'trim_scale(%s)' end, 'b.high'));
  else
    v_interval := v_given ->> 'interval';
    if v_type = 'time' and (jsonb_typeof(v_given -> 'interval') <> 'string' or not c_steps ? v_interval)
       or v_type = 'number' and (jsonb_typeof(v_given -> 'interval') <> 'number'
                                 or (v_given -> 'interval')::numeric not between 1e-300 and 1e300) then
      perform braid_store.aggregation_error(name, 'interval', v_given -> 'interval',
        case v_type when 'time' then 'Give hour, day, week, month, quarter or year.'
                    else 'Give the width of a bucket, a number above 0. For times, give the type "time".' end);
    end if;
    if v_type = 'time' then
      v_bucket := format('date_trunc(%L, %%1$s, %s)', v_interval, replace(quote_literal(v_zone), '%', '%%'));
      v_value := format('date_trunc(%L, c.bucket at time zone %L)', v_interval, v_zone);
      v_places := format($query$
        select braid_store.bucket_place(%2$L, row_number() over (order by c.bucket)),
               jsonb_build_object('label', to_char(c.bucket at time zone %3$L, %4$L), 'gte', %5$s, 'lt', %6$s), c.n
        from c%1$s c
        where c.bucket is not null
        $query$, number, name, v_zone, case v_interval when 'hour' then 'YYYY-MM-DD HH24:00' when 'month' then 'YYYY-MM'
                        when 'quarter' then 'YYYY-"Q"Q' when 'year' then 'YYYY' else 'YYYY-MM-DD' end,
        format(c_instant, case v_interval when 'hour' then c_hour else format(c_start, v_value, v_zone) end),
        format(c_instant, case v_interval when 'hour' then 'c.bucket + ''1 hour''::interval'
                                          else format(c_start, v_value || format(' + %L::interval',
                                                 c_steps ->> v_interval), v_zone) end));
    else
      -- div() is exact, but rounds towards zero.
      v_bucket := replace('div(%1$s, W) - case when %1$s < 0 and div(%1$s, W) * W > %1$s then 1 else 0 end', 'W',
                          format('%s::numeric', v_interval));
      v_places := format($query$
        select braid_store.bucket_place(%2$L, row_number() over (order by c.bucket)),
               jsonb_build_object('gte', trim_scale(c.bucket * %3$s), 'lt', trim_scale((c.bucket + 1) * %3$s)), c.n
        from c%1$s c
        where c.bucket is not null
        $query$, number, name, v_interval);
    end if;
  end if;

  if v_buckets is null then
    v_buckets := format($query$
      select distinct %3$s as bucket
      from (
        select a.one where a.many is null
        union all
        select %1$s from jsonb_array_elements(a.many) e
      ) v (bucket) %2$s
      where v.bucket is not null
      $query$, format(v_bucket, format('(%s)', v_values)),
      case when v_given ? 'ranges'
        then format('left join r%s r on v.bucket >= r.first and v.bucket < r.last', number) else '' end,
      case when v_given ? 'ranges' then 'coalesce(r.place, 0)' else 'v.bucket' end);
  end if;
  -- Most chunks have one value, and fall into few groups; only groups of lists are taken apart.
  v_aggregation.tables := v_aggregation.tables || format($query$
    a%1$s as (
      select %2$s as one, m.many%1$s as many, %6$s as n from %3$s m%4$s group by 1, 2
    ),
    c%1$s as (
      select v.bucket, sum(a.n)::bigint as n
      from a%1$s a%4$s left join lateral (%5$s) v on true
      group by v.bucket
    ),
    $query$, number, format(v_bucket, format('m.one%s', number)), v_from,
    case when v_extra = '' then '' else ' cross join' || substr(v_extra, 2) end, v_buckets, v_count);
  v_aggregation.rows := v_places || case when shows_missing then format($query$
    union all
    select 9223372036854775807, null, c.n from c%s c where c.bucket is null
    $query$, number) else '' end;
  return v_aggregation;
end
$$;

comment on function braid_store.compile_aggregation(text, jsonb, int, int, boolean) is
  'Compile an aggregation of braid.facets to SQL. number: makes the names of its columns and tables unique. '
  'shows_missing: whether chunks without a value get a row. Raise 22023 for a field that is unknown or has a value '
  'that cannot be used.';
