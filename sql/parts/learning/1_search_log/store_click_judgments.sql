-- role: writer
create or replace function braid_calls.store_click_judgments(
  query_set text,
  collection text,
  since timestamptz,
  min_impressions float8,
  eta float8,
  judge text
)
returns jsonb
language plpgsql
volatile
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set jit = off
set enable_seqscan = off
-- Queries and log entries may both be many, so avoid nested loops for their join.
set enable_nestloop = off
as $$
#variable_conflict use_column
declare
  c_batch_size constant int := 50000;
  v_tenant_id int := braid_store.tenant_id_for_writing();
  v_query_set braid_store.query_sets := braid_store.find_query_set(v_tenant_id, store_click_judgments.query_set);
  v_collection braid_store.collections := braid_store.find_collection(store_click_judgments.collection);
  v_search_count bigint;
  v_judgments jsonb[];
  v_left_out bigint;
  v_batch jsonb;
  v_stored jsonb;
  v_counts jsonb := '{"stored": 0, "replaced": 0, "unchanged": 0, "removed": 0}';
begin
  -- The log has what others have searched for and found.
  perform braid_store.extend_work_on_all(v_tenant_id, 'judgments_from_clicks');
  if v_query_set.level <> 'document' then
    raise exception 'query set "%" is of chunks', v_query_set.name
      using errcode = '22023', hint = 'Clicks name documents: take a query set with the level document.';
  elsif (store_click_judgments.min_impressions > 0 and store_click_judgments.min_impressions < 'infinity') is not true
    then
    raise exception 'min_impressions is %', coalesce(store_click_judgments.min_impressions::text, 'null')
      using errcode = '22023', hint = 'Use a number above 0. Below 5, a single click decides the grade.';
  elsif (store_click_judgments.eta between 0 and 3) is not true then
    raise exception 'eta is %', coalesce(store_click_judgments.eta::text, 'null')
      using errcode = '22023', hint = 'Use 0 (users look at all ranks equally) to 3, usually 1.';
  elsif (octet_length(store_click_judgments.judge) between 1 and 255) is not true then
    raise exception 'judge is %', coalesce('''' || left(store_click_judgments.judge, 100) || '''', 'null')
      using errcode = '22023', hint = 'Give a name of 1 to 255 bytes.';
  end if;
  with asked as materialized (
    -- A log that keeps hashes has the hash of the query as typed, apart from case and outer spaces.
    select distinct q.query_id, q.filters, sha256(convert_to(h.query, 'UTF8')) as query_hash
    from braid_store.queries q,
         lateral (values (braid_store.plain_query(q.query_text)),
           (braid_store.token_lower(btrim(left(q.query_text, 1000))))) h (query)
    where q.tenant_id = v_tenant_id and q.query_set = v_query_set.name
  ), searches as materialized (
    select l.search_id, a.query_id, l.external_ids
    from (
      select l.*, coalesce(sha256(convert_to(braid_store.plain_query(l.query_text), 'UTF8')), l.query_hash) as hash
      from braid_store.search_log l
      where l.tenant_id = v_tenant_id and l.collection_id = v_collection.id and l.is_first_page and l.mode <> 'multi'
        and (store_click_judgments.since is null or l.searched_at >= store_click_judgments.since)
    ) l
    -- A query with filters only matches searches with the same filters.
    join asked a on a.query_hash = l.hash and (a.filters is null or a.filters = l.filters)
  ), shown as (
    -- A document is ranked by its first chunk.
    select s.search_id, s.query_id, u.external_id, min(u.rank) as rank
    from searches s, unnest(s.external_ids) with ordinality u (external_id, rank)
    group by s.search_id, s.query_id, u.external_id
  ), rated as (
    select s.query_id, s.external_id, -- Rounding is needed because fifty times 0.1 is a little less than 5.
           round(sum(s.rank ^ (- store_click_judgments.eta))::numeric, 6)::float8 as impressions,
           count(f.is_clicked) as clicks
    from shown s
    left join lateral (
      select true as is_clicked from braid_store.search_feedback f
      where f.tenant_id = v_tenant_id and f.search_id = s.search_id and f.external_id = s.external_id
        and f.kind in ('click', 'used_in_answer')
      limit 1
    ) f on true
    group by s.query_id, s.external_id
  ), graded as (
    select r.query_id, r.external_id, r.impressions,
           case when r.clicks >= 0.5 * r.impressions then 3 when r.clicks >= 0.2 * r.impressions then 2
                when r.clicks >= 0.05 * r.impressions then 1 else 0 end as grade,
           row_number() over (partition by r.impressions >= store_click_judgments.min_impressions
                              order by r.query_id, r.external_id collate "C") as place
    from rated r
  ), batches as (
    select jsonb_agg(jsonb_build_object('query_id', g.query_id, 'external_id', g.external_id, 'grade', g.grade,
                                        'judge', store_click_judgments.judge)) as judgments
    from graded g
    where g.impressions >= store_click_judgments.min_impressions
    group by g.place / c_batch_size
  )
  select (select count(*) from searches), (select coalesce(array_agg(b.judgments), '{}') from batches b),
         (select count(*) from graded g where g.impressions < store_click_judgments.min_impressions)
  into v_search_count, v_judgments, v_left_out;
  foreach v_batch in array v_judgments loop
    v_stored := braid_calls.write_judgments(v_query_set.name, v_batch);
    v_counts := (select jsonb_object_agg(c.key, c.value::bigint + (v_stored ->> c.key)::bigint)
      from jsonb_each_text(v_counts) c);
  end loop;
  return v_counts || jsonb_build_object('searches', v_search_count, 'left_out', v_left_out);
end
$$;

comment on function braid_calls.store_click_judgments(text, text, timestamptz, float8, float8, text) is
  'Do the work of braid.judgments_from_clicks.';
