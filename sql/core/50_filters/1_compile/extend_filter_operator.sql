create or replace function braid_store.extend_filter_operator(operator text, operand jsonb, collection_id int)
returns jsonb
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
begin
  return '{}'::jsonb;
end
$$;

comment on function braid_store.extend_filter_operator(text, jsonb, int) is
  'Extension point: return the filter that stands for an operator of a part, such as {"$recent": true}; an empty '
  'object for an unknown operator.';
