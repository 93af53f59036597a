create or replace function braid_store.choose_ef_search(
  curve jsonb,
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
    select m.ef_search, m.index_recall_10, m.error_10, m.index_recall_100, m.error_100,
           m.missed + m.missed_error as missed,
           last_value(m.index_recall_10) over w as best, last_value(m.ef_search) over w as last
    from jsonb_to_recordset(choose_ef_search.curve)
         m (ef_search int, index_recall_10 float8, error_10 float8, index_recall_100 float8, error_100 float8,
            missed float8, missed_error float8)
    window w as (order by m.ef_search rows between unbounded preceding and unbounded following)
  ), chosen as (
    select min(m.ef_search) filter (where m.missed <= 0.0075 and m.index_recall_10 >= least(0.985, m.best)) as for_10,
           coalesce(min(m.ef_search) filter (where m.index_recall_100 - m.error_100 >= 0.98), max(m.last)) as for_100,
           min(m.ef_search) filter (where m.index_recall_10 - m.error_10 >= 0.985) as for_fused,
           -- Real questions may find less than the sample's queries, so with a margin each width is at least 64: see
           -- docs/internals/index-recall.md.
           case when choose_ef_search.margin > 1 then 64 else 0 end as narrowest
    from measured m
  )
  -- At an index recall below 0.97 the index is not good enough, and searches stay exact. This can happen with binary
  -- storage.
  select case when m.index_recall_10 >= 0.97 then w.ef_search end, greatest(w.ef_search, least(1000, c.for_100)),
         case when m.index_recall_10 >= 0.97 then greatest(least(w.ef_search, c.for_fused), c.narrowest) end,
         m.index_recall_10
  from chosen c
  left join measured m on m.ef_search = c.for_10,
  lateral (select least(1000, greatest(ceil(choose_ef_search.margin * c.for_10), c.narrowest))::int as ef_search) w;
$$;

comment on function braid_store.choose_ef_search(jsonb, float8) is
  'Choose how widely to search an index, from the curve that index_recall_curve measured. ef_search: the lowest '
  'hnsw.ef_search that finds 98.5 % of the 10 nearest vectors, where a wider search finds hardly more, times margin. '
  'It is null if no width finds 97 %; searches then stay exact. ef_search_100: the lowest width that finds 98 % of '
  'the 100 nearest, or the highest width. ef_search_fused: the lowest width that finds 98.5 % of the 10 nearest even '
  'after subtracting a standard error of the sample. It has no margin, and is enough if full text ranks as well. A '
  'margin above 1 also makes each width at least 64. index_recall: the share of the 10 nearest found, from 0 to 1, '
  'at ef_search without the margin.';
