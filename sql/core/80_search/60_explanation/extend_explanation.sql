create or replace function braid_store.extend_explanation(
  request braid_store.search_request,
  results braid_store.search_result[]
)
returns table (place int, name text, explanation jsonb)
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
begin
  return;
end
$$;

comment on function braid_store.extend_explanation(braid_store.search_request, braid_store.search_result[]) is
  'Extension point: what parts tell of a row''s score in explanations, under a name of their own. place: that of the '
  'row. A part that has made the score anew gives sum, score, which is 0.5 / (1 - sum) below 0 and else 1 - 0.5 / (1 '
  '+ sum), and arithmetic, an expression for sum.';
