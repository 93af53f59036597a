create or replace function braid_store.judged_grades(tenant_id int, query_set text, query_id text, judge text)
returns table (external_id text, chunk_index int, grade int, is_disputed boolean)
language sql
stable
parallel safe
security invoker
rows 100
set search_path = pg_catalog, pg_temp
as $$
  -- A grade below 0 means not judged, and does not vote.
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
  'Return the grade of each document, or chunk, that is judged for a query. The grade is the judge''s, or the median '
  'of all judges'' grades, the lower of two. chunk_index -1 stands for the document.';
