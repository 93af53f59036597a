-- role: reader
create or replace function braid_calls.page_standing_queries(collection text, match_count int, after text)
returns table (
  name text,
  query_text text,
  match text,
  filters jsonb,
  options jsonb,
  embedding_model text,
  semantic_min_score float8,
  created_at timestamptz
)
language plpgsql
stable
parallel unsafe
security definer
rows 100
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
-- Make the planner read the index of names in its order.
set enable_seqscan = off
set enable_bitmapscan = off
set enable_sort = off
set jit = off
as $$
#variable_conflict use_column
declare
  v_tenant_id int := braid_store.tenant_id_of_user();
  v_collection_id int := (braid_store.find_collection(page_standing_queries.collection)).id;
begin
  if (page_standing_queries.match_count between 1 and 10000) is not true then
    raise exception 'match_count is %', coalesce(page_standing_queries.match_count::text, 'null')
      using errcode = '22023', hint = 'Use 1 to 10000, and give after to get the next page.';
  end if;
  return query
  select q.name, q.query_text, q.match, q.filters, q.options, e.embedding_model, e.min_score, q.created_at
  from (
    select q.* from braid_store.standing_queries q
    where q.tenant_id = v_tenant_id and q.collection_id = v_collection_id
      and q.name > coalesce(page_standing_queries.after, '') collate "C"
    order by q.name
    limit page_standing_queries.match_count
  ) q
  left join lateral (
    select s.embedding_model, e.min_score
    from braid_store.vector_spaces s,
         lateral (
           select e.min_score from braid_store.standing_query_embeddings e
           where e.tenant_id = v_tenant_id and e.collection_id = v_collection_id and e.vector_space_id = s.id
             and e.query_id = q.id
           offset 0
         ) e
  ) e on true;
end
$$;

comment on function braid_calls.page_standing_queries(text, int, text) is 'Do the work of braid.list_standing_queries.';
