-- role: writer
create or replace function braid_calls.store_sampled_queries(
  query_set text,
  collection text,
  method text,
  query_count int,
  since timestamptz,
  min_searches int,
  with_filters boolean,
  seed int
)
returns int
language plpgsql
volatile
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set jit = off
-- Stored and logged queries may both be many, so avoid nested loops for their join.
set enable_nestloop = off
as $$
#variable_conflict use_column
declare
  v_tenant_id int := braid_store.tenant_id_for_writing();
  v_query_set braid_store.query_sets := braid_store.find_query_set(v_tenant_id, store_sampled_queries.query_set);
  v_collection braid_store.collections := braid_store.find_collection(store_sampled_queries.collection);
  v_queries jsonb;
begin
  -- The log has what others have searched for and found.
  perform braid_store.extend_work_on_all(v_tenant_id, 'sample_queries');
  if (store_sampled_queries.method in ('random', 'frequency', 'worst')) is not true then
    raise exception 'method is %', coalesce('''' || left(store_sampled_queries.method, 100) || '''', 'null')
      using errcode = '22023', hint = 'Use random, frequency or worst.';
  elsif (store_sampled_queries.query_count between 1 and 10000) is not true then
    raise exception 'query_count is %', coalesce(store_sampled_queries.query_count::text, 'null')
      using errcode = '22023', hint = 'Use 1 to 10000.';
  elsif (store_sampled_queries.min_searches >= 1) is not true then
    raise exception 'min_searches is %', coalesce(store_sampled_queries.min_searches::text, 'null')
      using errcode = '22023', hint = 'Use a number from 1.';
  elsif store_sampled_queries.with_filters is null then
    raise exception 'with_filters is null' using errcode = '22023', hint = 'Give true or false.';
  elsif store_sampled_queries.seed is null then
    raise exception 'seed is null' using errcode = '22023', hint = 'Give a whole number.';
  end if;
  with searches as materialized (
    select braid_store.plain_query(l.query_text) as query, case when store_sampled_queries.with_filters then l.filters
      end as filters,
           l.query_text, l.searched_at, 1 / l.sample_share as weight, (l.result_count = 0)::int as is_empty, f.rank
    from braid_store.search_log l
    left join lateral (
      select min(f.rank) as rank
      from braid_store.search_feedback f
      where store_sampled_queries.method = 'worst'
        and f.tenant_id = v_tenant_id and f.search_id = l.search_id and f.kind in ('click', 'used_in_answer')
    ) f on true
    where l.tenant_id = v_tenant_id and l.collection_id = v_collection.id and l.is_first_page and l.mode <> 'multi'
      and l.query_text <> ''
      and (store_sampled_queries.since is null or l.searched_at >= store_sampled_queries.since)
  ), asked as (
    select s.query, s.filters, (array_agg(s.query_text order by s.searched_at desc))[1] as query_text,
      sum(s.weight) as weight,
           avg(s.is_empty) as empty_share, avg(coalesce(1.0 / s.rank, 0)) as reciprocal_rank,
           'log-' || left(encode(sha256(convert_to(concat(s.query, E'\n' || s.filters::text), 'UTF8')), 'hex'),
             24) as query_id
    from searches s
    where s.query <> ''
    group by s.query, s.filters
    having count(*) >= store_sampled_queries.min_searches
  ), known as materialized (
    select braid_store.plain_query(q.query_text) as query, case when store_sampled_queries.with_filters then q.filters
      end as filters,
           q.query_id
    from braid_store.queries q
    where q.tenant_id = v_tenant_id and q.query_set = v_query_set.name
  ), sampled as (
    select a.*
    from asked a
    where not exists (select from known k where k.query = a.query and k.filters is not distinct from a.filters)
      and not exists (select from known k where k.query_id = a.query_id)
    order by case store_sampled_queries.method when 'worst' then a.empty_share end desc nulls last,
             case store_sampled_queries.method when 'worst' then a.reciprocal_rank end,
             case when store_sampled_queries.method <> 'random' then a.weight end desc nulls last,
             hashtextextended(a.query_id collate "C", store_sampled_queries.seed), a.query_id collate "C"
    limit store_sampled_queries.query_count
  )
  select coalesce(jsonb_agg(jsonb_build_object('query_id', s.query_id, 'text', s.query_text, 'filters', s.filters)),
    '[]')
  into v_queries
  from sampled s;
  return braid_calls.write_queries(v_query_set.name, v_queries, v_collection.name);
end
$$;

comment on function braid_calls.store_sampled_queries(text, text, text, int, timestamptz, int, boolean, int) is
  'Do the work of braid.sample_queries.';
