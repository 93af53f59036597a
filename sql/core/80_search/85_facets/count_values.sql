-- role: reader
create or replace function braid_calls.count_values(
  keys text[],
  query_text text,
  filters jsonb,
  collection text,
  match text,
  value_count int,
  options jsonb,
  aggregations jsonb
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
as $$
#variable_conflict use_column
declare
  c_max_keys constant int := 20;
  c_max_bytes constant int := 1000000;
  v_tenant_id int := braid_store.require_tenant_id();
  v_collection braid_store.collections;
  v_options braid_store.search_options;
  v_tokens braid_store.query_token[];
  v_query braid_store.text_query;
  v_has_query boolean := coalesce(count_values.query_text, '') <> '';
  v_aggregations braid_store.aggregation[];
  v_asked braid_store.aggregation[];
  v_filters jsonb;
  v_follows_query boolean;
  v_filter braid_store.filter;
  v_chunk_ids bigint[];
  v_many int; -- chunks that take longer to look up than all chunks take to read
  v_reads_all boolean;
  v_name text;
begin
  if coalesce(cardinality(count_values.keys), 0) 
    not between (count_values.aggregations is null)::int and c_max_keys then
    raise exception 'keys %', coalesce('has ' || cardinality(count_values.keys) || ' elements', 'is null')
      using errcode = '22023',
            hint = format('Give an array of 1 to %s columns and metadata keys, as in filters: {speaker,tags}. Give '
                          'ranges, dates and statistics as aggregations.', c_max_keys);
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
  if jsonb_typeof(count_values.aggregations) <> 'object' then
    raise exception 'aggregations is a JSON %', jsonb_typeof(count_values.aggregations)
      using errcode = '22023', hint = 'Give an object of names and aggregations: {"price": {"interval": 10}}.';
  elsif pg_column_size(count_values.aggregations) > c_max_bytes then
    raise exception 'aggregations has % bytes, more than %', pg_column_size(count_values.aggregations), c_max_bytes
      using errcode = '54000', hint = 'Give fewer ranges, or shorter filters.';
  elsif count_values.aggregations = '{}'
     or (select count(*) from jsonb_object_keys(count_values.aggregations)) > c_max_keys then
    raise exception 'aggregations has % elements', (select count(*) from jsonb_object_keys(count_values.aggregations))
      using errcode = '22023', hint = format('Give 1 to %s aggregations.', c_max_keys);
  end if;
  select min(k) into v_name from unnest(count_values.keys) k where count_values.aggregations ? k;
  if v_name is not null then
    raise exception 'aggregations has the name %, which is in keys', to_json(left(v_name, 100))
      using errcode = '22023',
            hint = 'Give the aggregation another name, and the key as its field "key": rows have the name.';
  end if;
  v_options := braid_store.read_search_options(count_values.options);
  perform braid_store.required_words(count_values.match, 1);

  v_collection := braid_store.find_collection(count_values.collection);
  select array_agg(braid_store.compile_aggregation(a.name, a.given, a.number::int, v_collection.id, a.is_given)
                   order by a.number)
  into v_aggregations
  from (
    select g.*, row_number() over (order by g.is_given, g.place) as number
    from (
      select k.key as name, jsonb_build_object('values', count_values.value_count) as given, false as is_given, k.place
      from unnest(count_values.keys) with ordinality k (key, place)
      union all
      select a.key, a.value, true, a.place
      from jsonb_each(count_values.aggregations) with ordinality a (key, value, place)
    ) g
  ) a;
  if count_values.filters is not null then
    -- They must be valid even if each aggregation has filters of its own.
    perform braid_store.filter_predicate(count_values.filters, v_tenant_id, v_collection.id);
  end if;
  for v_number in 1..cardinality(v_aggregations) loop
    v_aggregations[v_number].filters := coalesce(
      braid_store.extend_own_filters(v_aggregations[v_number].filters, count_values.filters, v_collection.id),
      count_values.filters, '{}');
  end loop;
  if v_options.ranking is not null then
    v_collection := braid_store.try_ranking(v_collection, v_options.ranking);
  end if;
  v_collection.text_config := braid_store.language_config(v_options.language, v_collection.text_config);
  if v_has_query then
    if v_options.operators then
      perform braid_store.refuse_list(count_values.query_text);
    end if;
    v_tokens := braid_store.query_tokens((braid_store.searched_text(count_values.query_text,
      v_options.operators)).searched,
                                         v_collection.text_config, v_collection.fold_diacritics);
    v_query := braid_store.compile_query(v_tenant_id, v_collection, v_tokens, count_values.match);
    v_collection.typos := coalesce(v_options.typos, v_collection.typos);
    if v_collection.parts is not null and v_collection.typos = 'auto' then
      v_query := braid_store.hide_lexemes(v_query, v_tenant_id, v_collection, v_tokens, count_values.match);
    end if;
    if num_nonnulls(v_collection.parts, v_options.parts) > 0 then
      v_query := (braid_store.match_alternatives(v_tenant_id, v_collection, v_tokens, count_values.match, v_query,
                                                 v_options.parts)).matched;
    end if;
    if v_collection.typos = 'auto' then
      v_query := (braid_store.match_typos(v_tenant_id, v_collection, v_tokens, count_values.match, v_query)).matched;
    end if;
  end if;

  v_many := (
    select coalesce(sum(s.chunk_count), 0) / 4 from braid_store.segments s
    where s.tenant_id = v_tenant_id and s.collection_id = v_collection.id);
  -- Aggregations of the same chunks share one pass.
  for v_follows_query, v_filters in
    select a.follows_query and v_has_query, a.filters
    from unnest(v_aggregations) with ordinality a (name, field, columns, tables, rows, is_total, filters,
                                                   follows_query, number)
    group by 1, 2
    order by min(a.number)
  loop
    -- Others lose their name, and keep their place.
    v_asked := array(
      select row(case when (a.follows_query and v_has_query) = v_follows_query
                      and a.filters = v_filters then a.name end,
                 a.field, a.columns, a.tables, a.rows, a.is_total, a.filters, a.follows_query)::braid_store.aggregation
      from unnest(v_aggregations) a);
    v_filter := braid_store.compile_filter(v_filters, v_tenant_id, v_collection.id);
    v_chunk_ids := null;
    if v_follows_query then
      v_chunk_ids := braid_store.found_chunk_ids(v_tenant_id, v_collection, v_query, v_filter,
                                                 v_options.full_text_min_score);
    elsif v_filter.source is not null then
      v_chunk_ids := braid_store.filtered_by_index(v_tenant_id, v_collection.id, v_filter, v_many);
    elsif v_filter.lists is not null then
      v_chunk_ids := (braid_store.listed_chunk_ids(v_filter, v_tenant_id, v_collection.id, v_many)).chunk_ids;
      if v_chunk_ids is not null then
        v_chunk_ids := braid_store.filtered_among(v_chunk_ids, v_tenant_id, v_filter);
      end if;
    end if;
    v_reads_all := v_chunk_ids is null or cardinality(v_chunk_ids) > v_many
                   * case when v_follows_query and current_setting('server_version_num')::int >= 170000 then 2
                          else 1 end;
    if v_reads_all and not v_follows_query then
      v_chunk_ids := null;
    end if;
    return query select * from braid_store.aggregate_chunks(v_tenant_id, v_collection.id, v_asked, v_chunk_ids,
                                                            v_reads_all, v_filter.predicate);
  end loop;
end
$$;

comment on function braid_calls.count_values(text[], text, jsonb, text, text, int, jsonb, jsonb) is
  'Do the work of braid.facets, for the tenant of the session. The time is proportional to the number of chunks found.';
