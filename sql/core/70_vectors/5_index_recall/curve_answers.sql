create or replace function braid_store.curve_answers(curve braid_store.recall_curve)
returns table (
  ef_search int,
  query int,
  index_recall_10 float8,
  index_recall_100 float8,
  found_distance float8,
  last_recall_10 float8,
  last_recall_100 float8,
  best_recall_10 float8
)
language sql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  select curve.widths[a.width], a.query, a.index_recall_10, a.index_recall_100, a.found_distance,
         last_value(a.index_recall_10) over w, last_value(a.index_recall_100) over w,
         case when curve.is_settled then 1 else last_value(a.index_recall_10) over w end
  from (
    select u.*, (u.place - 1) / (count(*) over () / cardinality(curve.widths)) + 1 as width,
           ((u.place - 1) % (count(*) over () / cardinality(curve.widths)) + 1)::int as query
    from unnest(curve.index_recalls_10, curve.index_recalls_100, curve.found_distances) with ordinality
         u (index_recall_10, index_recall_100, found_distance, place)
  ) a
  window w as (partition by a.query order by a.width rows between unbounded preceding and unbounded following);
$$;

comment on function braid_store.curve_answers(braid_store.recall_curve) is
  'Return a row for each width and query of a curve. last_recall_10, last_recall_100: what the query finds at the last '
  'width. best_recall_10: the same, or 1 if the curve is settled.';
