create or replace function braid_store.choose_narrow(
  curve braid_store.recall_curve,
  margin float8,
  out ef_search int,
  out ef_search_100 int,
  out ef_search_fused int,
  out index_recall float8,
  out far_distance float8
)
language sql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  -- The distances come from every second query, and the others must reach the index recall within their standard error:
  -- distances flatter the queries that they are chosen by.
  with answer as materialized (
    select * from braid_store.curve_answers(choose_narrow.curve)
  ), distance as (
    select a.ef_search, percentile_disc(1 - s.share) within group (order by a.found_distance) as far_distance
    from answer a, unnest('{0.01,0.02,0.05,0.1,0.15,0.2,0.3}'::float8[]) s (share)
    where a.query % 2 = 1
    group by a.ef_search, s.share
  ), tried as (
    select d.ef_search, d.far_distance, avg(f.index_recall_10) as index_recall,
           avg((a.found_distance > d.far_distance)::int) as share
    from distance d
    join answer a on a.ef_search = d.ef_search,
    lateral (
      select case when a.found_distance <= d.far_distance then a.index_recall_10 else a.last_recall_10 end
               as index_recall_10
    ) f
    group by d.ef_search, d.far_distance
    having avg(f.index_recall_10) - coalesce(stddev(f.index_recall_10), 0) / sqrt(count(*)) >= 0.985
           and avg(f.index_recall_10) filter (where a.query % 2 = 0)
               + coalesce(stddev(f.index_recall_10) filter (where a.query % 2 = 0), 0) / sqrt(count(*) / 2.0) >= 0.985
  ), chosen as (
    -- measure_far chooses the width of the second search. 640 stands for it here.
    select t.* from tried t order by t.ef_search + t.share * 640, t.far_distance limit 1
  )
  select w.ef_search, greatest(w.ef_search, (
           select coalesce(min(k.ef_search), max(last.ef_search))
           from (select max(a.ef_search) as ef_search from answer a) last
           left join (
             select a.ef_search
             from answer a,
                  lateral (
                    select case when a.found_distance <= c.far_distance then a.index_recall_100
                                else a.last_recall_100 end as index_recall_100
                  ) f
             group by a.ef_search
             having avg(f.index_recall_100)
                    - coalesce(stddev(f.index_recall_100), 0) / sqrt(count(f.index_recall_100)) >= 0.98
           ) k on true)),
         w.ef_search_fused, c.index_recall, c.far_distance
  from chosen c, braid_store.widen(c.ef_search, choose_narrow.margin) w;
$$;

comment on function braid_store.choose_narrow(braid_store.recall_curve, float8) is
  'Choose a narrow width and a distance beyond which an answer is searched again more widely, at the least expected '
  'cost. Both searches together find as much as choose_ef_search demands. All results are null if there is no such '
  'pair. ef_search, ef_search_100, ef_search_fused: the narrow widths, as choose_ef_search returns them. '
  'far_distance: the distance of the tenth vector found. index_recall: the share of the 10 nearest found by both '
  'searches, without the margin.';
