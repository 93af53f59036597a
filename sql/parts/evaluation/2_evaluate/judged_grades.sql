create or replace function braid_store.judged_grades(tenant_id int, query_set text, query_id text, judge text)
returns table (external_id text, chunk_index int, grade int, is_disputed boolean)
language sql
stable
parallel safe
security invoker
rows 100
set search_path = pg_catalog, pg_temp
as $$
  -- Who gives a grade below 0 has not judged, and is no vote.
  select j.external_id, j.chunk_index,
         coalesce(percentile_disc(0.5) within group (order by j.grade) filter (where j.grade >= 0), max(j.grade))::int,
         min(j.grade) filter (where j.grade >= 0) <> max(j.grade)
  from braid_store.judgments j
  where j.tenant_id = judged_grades.tenant_id and j.query_set = judged_grades.query_set
    and j.query_id = judged_grades.query_id
    and (judged_grades.judge is null or j.judge = judged_grades.judge)
  group by j.external_id, j.chunk_index;
$$;

comment on function braid_store.judged_grades(int, text, text, text) is
  'Return the grade of each document, or chunk, that is judged for a query: that of the judge, or the median of all, '
  'of two the lower. chunk_index -1 stands for the document.';
