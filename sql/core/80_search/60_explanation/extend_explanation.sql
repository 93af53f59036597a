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
  'Extension point: let parts explain a row''s score, each under a name of its own. place is the place of the row in '
  'results. A part that has replaced the score gives sum, score and arithmetic, an expression for sum. score is 0.5 '
  '/ (1 - sum) if sum is below 0, else 1 - 0.5 / (1 + sum).';
