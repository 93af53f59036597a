-- role: writer
create or replace function braid_calls.page_queries(query_set text, match_count int, after text)
returns table (
  query_id text, query_text text, filters jsonb, embedding_models text[], judgment_count bigint, updated_at timestamptz
)
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
  v_after text := coalesce(page_queries.after, '');
begin
  if (page_queries.match_count between 1 and 10000) is not true then
    raise exception 'match_count is %', coalesce(page_queries.match_count::text, 'null')
      using errcode = '22023', hint = 'Use 1 to 10000, and give after to get the next page.';
  end if;
  perform braid_store.find_query_set(v_tenant_id, page_queries.query_set);
  return query
  select q.query_id, q.query_text, q.filters,
         array(select s.embedding_model
               from braid_store.query_set_embeddings e
               join braid_store.vector_spaces s on s.id = e.vector_space_id
               where e.tenant_id = v_tenant_id and e.query_set = page_queries.query_set and e.query_id = q.query_id
               order by s.embedding_model),
         (select count(*) from braid_store.judgments j
          where j.tenant_id = v_tenant_id and j.query_set = page_queries.query_set and j.query_id = q.query_id),
         q.updated_at
  from braid_store.queries q
  where q.tenant_id = v_tenant_id and q.query_set = page_queries.query_set and q.query_id > v_after
  order by q.query_id
  limit page_queries.match_count;
end
$$;

comment on function braid_calls.page_queries(text, int, text) is 'Do the work of braid.list_queries.';
