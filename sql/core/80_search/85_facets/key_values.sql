-- role: reader
create or replace function braid_calls.key_values(keys text[], filters jsonb, collection text, value_count int)
returns table (key text, distinct_count bigint, minimum jsonb, maximum jsonb, top_values jsonb)
language plpgsql
stable
parallel unsafe
security definer
rows 20
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set jit = off
set work_mem = '64MB'
as $$
#variable_conflict use_column
declare
  c_max_keys constant int := 100;
  v_tenant_id int := braid_store.require_tenant_id();
  v_collection_id int := (braid_store.find_collection(key_values.collection)).id;
  v_filter braid_store.filter;
  v_chunk_ids bigint[];
  -- Only these keys of metadata, and columns, can hold what keys names.
  v_outer_keys text[];
begin
  if cardinality(key_values.keys) > c_max_keys then
    raise exception 'keys has % elements', cardinality(key_values.keys)
      using errcode = '22023', hint = format('Give up to %s keys, or null for all.', c_max_keys);
  elsif (key_values.value_count between 0 and 1000) is not true then
    raise exception 'value_count is %', coalesce(key_values.value_count::text, 'null')
      using errcode = '22023', hint = 'Use 0 to 1000; facets counts more values of a key.';
  end if;
  v_filter := braid_store.compile_filter(key_values.filters, v_tenant_id, v_collection_id);
  v_chunk_ids := braid_store.few_filtered_chunk_ids(v_tenant_id, v_collection_id, v_filter);
  if key_values.keys is not null then
    v_outer_keys := array(
      select distinct array_to_string(p.parts[:n], '.')
      from unnest(key_values.keys) k,
           lateral (select string_to_array(regexp_replace(k, '^metadata[.]', ''), '.') as parts
                    union all select string_to_array(k, '.')) p,
           generate_series(1, cardinality(p.parts)) n);
  end if;

  -- Whole values are counted first; only distinct arrays and objects are taken apart.
  return query execute format($query$
    with counted as (
      select m.is_column, m.key, m.value, count(*) as count
      from (
             select c.* from %2$s where c.tenant_id = $1 and c.collection_id = $2 and (%1$s) offset 0
           ) c,
           lateral (
             select false as is_column, o.key, o.value from %4$s
             union all
             select true, o.key, o.value
             from (values
               ('speaker', case when %3$s and c.metadata @? 'strict $.speakers[0]' then c.metadata -> 'speakers'
                                else to_jsonb(c.speaker) end),
               ('category', to_jsonb(c.category)), ('language', to_jsonb(c.language)),
               ('importance', to_jsonb(c.importance)),
               ('occurred_at', to_jsonb((c.occurred_at at time zone 'UTC')::date))) o (key, value)
             where o.value is not null and (%5$s)
           ) m
      group by m.is_column, m.key, m.value
    ), named as (
      select case when not m.is_column
                    and (m.key in ('speaker', 'category', 'language', 'importance', 'occurred_at', 'external_id',
                                   'source_uri') or m.key ~ '^([$]|metadata[.])')
                  then 'metadata.' else '' end || concat_ws('.', m.key, i.key) as key,
             case when i.key is null then m.value else i.value end as value, m.count
      from counted m
      left join lateral jsonb_each(case jsonb_typeof(m.value) when 'object' then m.value else '{}' end) i on true
    ), counts as (
      select n.key, e.value, sum(n.count)::bigint as count
      from named n,
           lateral (
             select n.value where jsonb_typeof(n.value) <> 'array'
             union all
             select distinct a.value
             from jsonb_array_elements(case jsonb_typeof(n.value) when 'array' then n.value else '[]' end) a
           ) e (value)
      where ($3 is null or n.key = any ($3)) and jsonb_typeof(e.value) in ('string', 'number', 'boolean')
      group by n.key, e.value
    )
    select k.key, k.distinct_count,
           case when k.is_number then to_jsonb(k.least_number) else to_jsonb(left(k.least_text, 100)) end,
           case when k.is_number then to_jsonb(k.greatest_number) else to_jsonb(left(k.greatest_text, 100)) end,
           k.top_values
    from (
      select v.key, count(*) as distinct_count, sum(v.count) as count,
             bool_and(jsonb_typeof(v.value) = 'number') as is_number,
             min(case when jsonb_typeof(v.value) = 'number' then v.value::numeric end) as least_number,
             max(case when jsonb_typeof(v.value) = 'number' then v.value::numeric end) as greatest_number,
             min(v.value #>> '{}' collate "C") as least_text, max(v.value #>> '{}' collate "C") as greatest_text,
             coalesce(jsonb_agg(jsonb_build_object('value', v.value, 'count', v.count) order by v.place)
                        filter (where v.place <= $4), '[]') as top_values
      from (
        select c.*, row_number() over (partition by c.key
                                       order by c.count desc,
                                                case when jsonb_typeof(c.value) = 'number' then c.value::numeric end,
                                                c.value #>> '{}' collate "C", jsonb_typeof(c.value)) as place
        from counts c
      ) v
      group by v.key
    ) k
    order by k.count desc, k.key
    limit $5
    $query$, v_filter.predicate,
    case when v_chunk_ids is null then 'braid_store.chunks c'
         else 'unnest($6) u (chunk_id), lateral (select c.* from braid_store.chunks c where c.tenant_id = $1 '
              'and c.id between u.chunk_id and u.chunk_id order by c.id offset 0) c' end,
    braid_store.speaks_with_others(),
    case when v_outer_keys is null then 'jsonb_each(c.metadata) o'
         else '(select k as key, c.metadata -> k as value from unnest($7) k where c.metadata ? k) o' end,
    case when v_outer_keys is null then 'true'
         when v_outer_keys && '{speaker,category,language,importance,occurred_at}' then 'o.key = any ($7)'
         else 'false' end)
  using v_tenant_id, v_collection_id, key_values.keys, key_values.value_count, c_max_keys, v_chunk_ids,
        v_outer_keys;
end
$$;

comment on function braid_calls.key_values(text[], jsonb, text, int) is
  'Do the work of braid.list_values. The time is proportional to the number of chunks that the filters let pass.';
