-- role: writer
create or replace function braid_calls.page_profiles(match_count int, after text)
returns table (profile text, embedding_model text, attributes jsonb, updated_at timestamptz)
language plpgsql
stable
parallel unsafe
security definer
rows 100
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set jit = off
-- Make the planner read one page from the primary key, in its order.
set enable_seqscan = off
set enable_bitmapscan = off
set enable_sort = off
as $$
#variable_conflict use_column
declare
  v_tenant_id int := braid_store.tenant_id_of_user();
  -- Under row-level security, a coalesce in the condition would keep the index from being used.
  v_after text := coalesce(page_profiles.after, '');
begin
  if (page_profiles.match_count between 1 and 10000) is not true then
    raise exception 'match_count is %', coalesce(page_profiles.match_count::text, 'null')
      using errcode = '22023', hint = 'Use 1 to 10000, and give after to get the next page.';
  end if;
  return query
  select p.name, (select s.embedding_model from braid_store.vector_spaces s where s.id = p.vector_space_id),
    p.attributes,
         p.updated_at
  from braid_store.profiles p
  where p.tenant_id = v_tenant_id and p.name > v_after
  order by p.name
  limit page_profiles.match_count;
end
$$;

comment on function braid_calls.page_profiles(int, text) is 'Do the work of braid.list_profiles.';
