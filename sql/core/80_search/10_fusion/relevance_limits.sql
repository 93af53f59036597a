create or replace function braid_store.relevance_limits(
  min_relevance text,
  out best_row float8,
  out each_row float8
)
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  -- docs/lab/ranking.md tells which questions and rows these limits keep.
  c_answered constant float8 := 0.335;
  c_related constant float8 := 0.15;
begin
  if relevance_limits.min_relevance = 'auto' then
    best_row := c_answered;
    each_row := c_related;
  else
    best_row := 0;
    each_row := relevance_limits.min_relevance::float8;
  end if;
end
$$;

comment on function braid_store.relevance_limits(text) is
  'Return the lowest relevance that the best row must have for a search to return any row, and the lowest relevance of '
  'each row. min_relevance is the option of that name, a number or auto.';
