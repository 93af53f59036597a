-- role: writer
create or replace function braid_calls.pool_rankings(
  query_set text,
  configurations jsonb,
  depth int,
  judge text,
  seed int,
  query_ids text[]
)
returns table (
  query_id text, query_text text, external_id text, chunk_index int, chunk_id bigint, title text, content text
)
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
  c_max_configurations constant int := 20;
  c_max_queries constant int := 10000;
  c_max_searches constant int := 20000;
  c_max_rows constant int := 200000;
  v_tenant_id int := braid_store.tenant_id_of_user();
  v_query_set braid_store.query_sets := braid_store.find_query_set(v_tenant_id, pool_rankings.query_set);
  v_given jsonb;
  v_configuration jsonb;
  v_configurations jsonb[] := '{}';
  v_collection braid_store.collections;
  v_space_ids int[] := '{}';
  v_unknown text;
  v_query_ids text[];
  v_row_count bigint := 0;
  v_unembedded_count bigint;
  v_query record;
  v_place text;
  v_hint text;
begin
  if jsonb_typeof(pool_rankings.configurations) is distinct from 'array' then
    raise exception 'configurations is %', coalesce('a JSON ' || jsonb_typeof(pool_rankings.configurations), 'null')
      using errcode = '22023',
        hint = 'Give an array of configurations, such as [{"fusion": "rrf"}, {"mode": "full_text"}].';
  elsif jsonb_array_length(pool_rankings.configurations) not between 1 and c_max_configurations then
    raise exception 'configurations has % elements', jsonb_array_length(pool_rankings.configurations)
      using errcode = '22023', hint = format('Give 1 to %s configurations.', c_max_configurations);
  elsif (pool_rankings.depth between 1 and 1000) is not true then
    raise exception 'depth is %', coalesce(pool_rankings.depth::text, 'null')
      using errcode = '22023', hint = 'Use 1 to 1000, usually 10.';
  elsif octet_length(pool_rankings.judge) not between 1 and 255 then
    raise exception 'judge is ''%''', left(pool_rankings.judge, 100)
      using errcode = '22023', hint = 'Give a name of 1 to 255 bytes.';
  elsif pool_rankings.seed is null then
    raise exception 'seed is null' using errcode = '22023', hint = 'Give a whole number.';
  elsif cardinality(pool_rankings.query_ids) > c_max_queries then
    raise exception 'query_ids has % elements', cardinality(pool_rankings.query_ids)
      using errcode = '54000', hint = format('Give at most %s at a time.', c_max_queries);
  end if;
  select coalesce(u.query_id, 'null') into v_unknown
  from unnest(pool_rankings.query_ids) with ordinality u (query_id, place)
  left join lateral (
    select true as is_there from braid_store.queries q
    where q.tenant_id = v_tenant_id and q.query_set = v_query_set.name and q.query_id = u.query_id
    offset 0
  ) q on true
  where q.is_there is null
  order by u.place
  limit 1;
  if found then
    raise exception 'query "%" is not in query set "%"', left(v_unknown, 100), v_query_set.name
      using errcode = '42704', hint = 'Give ids that braid.list_queries returns, or null for all queries.';
  end if;
  v_query_ids := case when pool_rankings.query_ids is null then array(
    -- Read one query more than the limit, to notice that there are too many.
    select q.query_id from braid_store.queries q
    where q.tenant_id = v_tenant_id and q.query_set = v_query_set.name
    order by q.query_id
    limit c_max_searches + 1
  ) else array(select distinct u.query_id from unnest(pool_rankings.query_ids) u (query_id)) end;
  for v_given in select c.value from jsonb_array_elements(pool_rankings.configurations) c loop
    v_place := format('configuration %s', cardinality(v_configurations) + 1);
    perform braid_store.check_configuration(v_given);
    v_configuration := braid_store.complete_configuration(v_given, v_query_set.level, pool_rankings.depth);
    v_collection := braid_store.find_collection(v_configuration ->> 'collection');
    v_configurations := array_append(v_configurations, v_configuration);
    v_space_ids := array_append(v_space_ids, v_collection.vector_space_id);
    -- A search ranks match_count rows, even if fewer are pooled.
    v_row_count := v_row_count
                   + cardinality(v_query_ids) * greatest((v_configuration ->> 'match_count')::bigint,
                     pool_rankings.depth);
  end loop;
  v_place := null;
  if cardinality(v_query_ids) * cardinality(v_configurations) > c_max_searches or v_row_count > c_max_rows then
    raise exception '% queries, % configurations and depth % are more than % searches or % rows',
                    concat(case when cardinality(v_query_ids) > c_max_searches then 'at least ' end,
                      cardinality(v_query_ids)),
                    cardinality(v_configurations), pool_rankings.depth, c_max_searches, c_max_rows
      using errcode = '54000', hint = 'Give fewer query_ids in each call, or configurations with a smaller '
                                      'match_count.';
  end if;
  for v_number in 1 .. cardinality(v_configurations) loop
    continue when v_configurations[v_number] ->> 'mode' = 'full_text';
    v_place := format('configuration %s', v_number);
    select count(*) into v_unembedded_count
    from unnest(v_query_ids) u (query_id)
    left join lateral (
      select true as is_embedded from braid_store.query_set_embeddings e
      where e.tenant_id = v_tenant_id and e.query_set = v_query_set.name and e.query_id = u.query_id
        and e.vector_space_id = v_space_ids[v_number]
      offset 0
    ) e on true
    where e.is_embedded is null;
    if v_unembedded_count > 0 then
      raise exception '% of % queries have no embedding of the model of collection "%"', v_unembedded_count,
                      cardinality(v_query_ids), v_configurations[v_number] ->> 'collection'
        using errcode = '22023',
              hint = 'Store their embeddings with braid.store_queries, as pgbraid judgments load and sample do, or '
                'set "mode": "full_text".';
    end if;
  end loop;
  v_place := null;

  for v_query in
    select q.query_id, q.query_text, q.filters
    from unnest(v_query_ids) u (query_id)
    cross join lateral (
      select q.query_id, q.query_text, q.filters from braid_store.queries q
      where q.tenant_id = v_tenant_id and q.query_set = v_query_set.name and q.query_id = u.query_id
      offset 0
    ) q
    order by q.query_id
  loop
    v_place := format('query "%s"', left(v_query.query_id, 100));
    return query
    with found as materialized (
      select r.external_id, r.chunk_index, r.chunk_id, r.title, r.content, c.number, r.ordinality as place,
             case v_query_set.level when 'chunk' then r.chunk_index else -1 end as judged_index
      from unnest(v_configurations, v_space_ids) with ordinality c (configuration, vector_space_id, number)
      left join lateral (
        select e.embedding from braid_store.query_set_embeddings e
        where e.tenant_id = v_tenant_id and e.query_set = v_query_set.name and e.query_id = v_query.query_id
          and e.vector_space_id = c.vector_space_id
        offset 0
      ) e on true
      cross join lateral unnest(
        braid_store.search_configured(c.configuration, v_query.query_text, e.embedding, v_query.filters))
          with ordinality r
    ), ranked as (
      -- In a query set of documents, a document takes the place of its best chunk.
      select f.*, row_number() over (partition by f.number order by f.place) as rank
      from (
        select f.*, row_number() over (partition by f.number, f.external_id, f.judged_index order by f.place) as nth
        from found f
      ) f
      where f.nth = 1
    ), pooled as (
      select distinct on (r.external_id, r.judged_index) r.*
      from ranked r
      where r.rank <= pool_rankings.depth
        and not exists (
          select from braid_store.judgments j
          where j.tenant_id = v_tenant_id and j.query_set = v_query_set.name and j.query_id = v_query.query_id
            and j.external_id = r.external_id and j.chunk_index = r.judged_index and j.grade >= 0
            and (pool_rankings.judge is null or j.judge = pool_rankings.judge))
      order by r.external_id, r.judged_index, r.rank, r.number
    )
    select v_query.query_id, v_query.query_text, p.external_id, nullif(p.judged_index, -1), p.chunk_id, p.title,
      p.content
    from pooled p
    order by hashtextextended(format('%s %s %s', v_query.query_id, p.judged_index, p.external_id) collate "C",
      pool_rankings.seed),
             p.external_id collate "C", p.judged_index;
  end loop;
exception when invalid_parameter_value or undefined_object or program_limit_exceeded or insufficient_privilege then
  -- Raise the error again here, so that psql does not show inner functions in the error's CONTEXT.
  get stacked diagnostics v_hint = pg_exception_hint;
  if v_hint = '' then
    raise;
  end if;
  raise exception '%', concat(v_place || ': ', sqlerrm) using errcode = sqlstate, hint = v_hint;
end
$$;

comment on function braid_calls.pool_rankings(text, jsonb, int, text, int, text[]) is
  'Do the work of braid.pool_results.';
