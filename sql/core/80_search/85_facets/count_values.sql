-- role: reader
create or replace function braid_calls.count_values(
  keys text[],
  query_text text,
  filters jsonb,
  collection text,
  match text,
  value_count int,
  options jsonb
)
returns table (key text, value jsonb, count bigint)
language plpgsql
stable
parallel unsafe
security definer
rows 100
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set jit = off
set work_mem = '64MB'
-- Without sorting, the planner must use the primary key for the ordered look-ups below. On a small table, other indexes
-- that begin with the tenant seem as cheap, but each look-up would read all of the tenant's rows.
set enable_sort = off
set enable_bitmapscan = off
as $$
#variable_conflict use_column
declare
  c_max_keys constant int := 20;
  v_tenant_id int := braid_store.require_tenant_id();
  v_collection braid_store.collections;
  v_options braid_store.search_options;
  v_filter braid_store.filter;
  v_tokens braid_store.query_token[];
  v_query braid_store.text_query;
  v_values text;
  v_chunk_ids bigint[];
begin
  if coalesce(cardinality(count_values.keys), 0) not between 1 and c_max_keys then
    raise exception 'keys %', coalesce('has ' || cardinality(count_values.keys) || ' elements', 'is null')
      using errcode = '22023',
            hint = format('Give an array of 1 to %s columns and metadata keys, as in filters: {speaker,tags}.',
              c_max_keys);
  elsif exists (select from unnest(count_values.keys) k where k is null) then
    raise exception 'keys has a null' using errcode = '22023', hint = 'Leave out the null.';
  elsif (select count(distinct k) from unnest(count_values.keys) k) < cardinality(count_values.keys) then
    raise exception 'keys has % twice', (select to_json(left(k, 100)) from unnest(count_values.keys) k
                                         group by k having count(*) > 1 order by k limit 1)
      using errcode = '22023', hint = 'Give each key once.';
  elsif (count_values.value_count between 1 and 10000) is not true then
    raise exception 'value_count is %', coalesce(count_values.value_count::text, 'null')
      using errcode = '22023', hint = 'Use 1 to 10000.';
  end if;
  v_options := braid_store.read_search_options(count_values.options);
  perform braid_store.required_words(count_values.match, 1);
  select string_agg(braid_store.facet_values(k.key, k.number::int), ' union all ' order by k.number) into v_values
  from unnest(count_values.keys) with ordinality k (key, number);

  v_collection := braid_store.find_collection(count_values.collection);
  if v_options.ranking is not null then
    v_collection := braid_store.try_ranking(v_collection, v_options.ranking);
  end if;
  v_collection.text_config := braid_store.language_config(v_options.language, v_collection.text_config);
  v_filter := braid_store.compile_filter(count_values.filters, v_tenant_id, v_collection.id);
  if coalesce(count_values.query_text, '') = '' then
    v_chunk_ids := braid_store.filtered_chunk_ids(v_tenant_id, v_collection.id, v_filter, 2147483647);
  else
    if v_options.operators then
      perform braid_store.refuse_list(count_values.query_text);
    end if;
    v_tokens := braid_store.query_tokens((braid_store.searched_text(count_values.query_text,
      v_options.operators)).searched,
                                         v_collection.text_config, v_collection.fold_diacritics);
    v_query := braid_store.compile_query(v_tenant_id, v_collection, v_tokens, count_values.match, '{}', '{}');
    if v_options.correct and v_query.absent_terms <> '{}' then
      v_query := (braid_store.correct_query(v_tenant_id, v_collection, v_tokens, count_values.match, v_query,
        true)).corrected;
    end if;
    v_chunk_ids := braid_store.found_chunk_ids(v_tenant_id, v_collection, v_query, v_filter,
                                               v_options.full_text_min_score);
  end if;

  return query execute format($query$
    select $3[t.number], t.value, t.count
    from (
      select v.number, v.value, count(*) as count,
             row_number() over (partition by v.number
                                order by count(*) desc, case when jsonb_typeof(v.value) = 'number'
                                  then v.value::numeric end,
                                         v.value #>> '{}' collate "C", jsonb_typeof(v.value)) as place
      from unnest($2) u (chunk_id),
           lateral (
             select c.* from braid_store.chunks c where c.tenant_id = $1 and c.id between u.chunk_id and u.chunk_id
             order by c.id
             offset 0
           ) c,
           lateral (%s) v (number, value)
      group by v.number, v.value
    ) t
    where t.place <= $4
    order by t.number, t.place
    $query$, v_values)
  using v_tenant_id, v_chunk_ids, count_values.keys, count_values.value_count;
end
$$;

comment on function braid_calls.count_values(text[], text, jsonb, text, text, int, jsonb) is
  'Do the work of braid.facets, for the tenant of the session. The time is proportional to the number of chunks found.';
