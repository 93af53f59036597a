create or replace function braid_store.listed_principals(access jsonb)
returns text[]
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
begin
  return array(select distinct p collate "C" from jsonb_array_elements_text(access) p order by 1);
end
$$;

comment on function braid_store.listed_principals(jsonb) is
  'Return the principals of a JSON array as a list stores them: sorted, each once.';
