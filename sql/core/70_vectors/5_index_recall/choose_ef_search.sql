create or replace function braid_store.choose_ef_search(
  curve braid_store.recall_curve,
  margin float8,
  out ef_search int,
  out ef_search_100 int,
  out ef_search_fused int,
  out index_recall float8
)
language sql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  with measured as (
    select a.ef_search, avg(a.index_recall_10) as index_recall_10,
           coalesce(stddev(a.index_recall_10), 0) / sqrt(count(*)) as error_10,
           avg(a.index_recall_100) - coalesce(stddev(a.index_recall_100), 0) / sqrt(count(a.index_recall_100))
             as index_recall_100,
           avg(a.best_recall_10 - a.index_recall_10)
             + coalesce(stddev(a.best_recall_10 - a.index_recall_10), 0) / sqrt(count(*)) as missed
    from braid_store.curve_answers(choose_ef_search.curve) a
    group by a.ef_search
  ), chosen as (
    select coalesce(min(m.ef_search) filter (where m.index_recall_10 - m.error_10 >= 0.985),
                    min(m.ef_search) filter (where m.missed <= 0.0075)) as for_10,
           coalesce(min(m.ef_search) filter (where m.index_recall_100 >= 0.98), max(m.ef_search)) as for_100
    from measured m
  )
  -- At an index recall below 0.97 the index is not good enough, and searches stay exact. This can happen with binary
  -- storage.
  select case when m.index_recall_10 >= 0.97 then w.ef_search end, greatest(w.ef_search, least(1000, c.for_100)),
         case when m.index_recall_10 >= 0.97 then w.ef_search_fused end, m.index_recall_10
  from chosen c
  left join measured m on m.ef_search = c.for_10,
  braid_store.widen(c.for_10, choose_ef_search.margin) w;
$$;

comment on function braid_store.choose_ef_search(braid_store.recall_curve, float8) is
  'Choose how widely to search an index if all searches are equally wide. ef_search_fused: the lowest hnsw.ef_search'
  ' that finds 98.5 % of the 10 nearest vectors even after subtracting a standard error of the sample. If there is '
  'none, it is the lowest one where a wider search finds hardly more. It is null if this finds less than 97 %; '
  'searches then stay exact. ef_search: the same times margin, for searches that are not fused with full text. A '
  'margin above 1 also makes both at least 64. ef_search_100: the lowest width that finds 98 % of the 100 nearest, '
  'or the highest width. index_recall: the share of the 10 nearest found, from 0 to 1, without the margin.';
