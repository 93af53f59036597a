-- role: writer
create or replace function braid_calls.page_embedding_jobs(
  with_state text,
  match_count int,
  after_chunk_id bigint,
  collection text,
  embedding_model text
)
returns table (
  chunk_id bigint,
  external_id text,
  chunk_index int,
  state text,
  attempts int,
  last_error text,
  available_at timestamptz
)
language plpgsql
stable
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
-- These settings make the planner read the primary key in its order, as in lease_embedding_jobs.
set jit = off
set enable_seqscan = off
set enable_bitmapscan = off
set enable_sort = off
as $$
#variable_conflict use_column
declare
  v_tenant_id int := braid_store.tenant_id_of_user();
  v_collection braid_store.collections := braid_store.space_of_model(
    braid_store.find_collection(page_embedding_jobs.collection), page_embedding_jobs.embedding_model);
  v_after_id bigint := coalesce(page_embedding_jobs.after_chunk_id, 0);
begin
  if (page_embedding_jobs.match_count between 1 and 10000) is not true then
    raise exception 'match_count is %', coalesce(page_embedding_jobs.match_count::text, 'null')
      using errcode = '22023', hint = 'Use 1 to 10000, and give after_chunk_id to get the next page.';
  elsif page_embedding_jobs.with_state not in ('waiting', 'claimed', 'paused', 'abandoned') then
    raise exception 'with_state is ''%''', left(page_embedding_jobs.with_state, 255)
      using errcode = '22023', hint = 'Use waiting, claimed, paused or abandoned, or null for all.';
  end if;
  return query
  select j.chunk_id, d.external_id, c.chunk_index, j.state, j.attempts, j.last_error, j.claimed_until
  from (
    select j.chunk_id, s.state, j.attempts, j.last_error, j.claimed_until
    from braid_store.embedding_jobs j,
         lateral (
           select case
                    when j.claimed_until = 'infinity' then 'abandoned'
                    when j.claimed_until is null or j.claimed_until < now() then 'waiting'
                    when j.last_error is null then 'claimed'
                    else 'paused'
                  end as state
         ) s
    where j.tenant_id = v_tenant_id and j.collection_id = v_collection.id
      and j.vector_space_id = v_collection.vector_space_id and j.chunk_id > v_after_id
      and (page_embedding_jobs.with_state is null or s.state = page_embedding_jobs.with_state)
    order by j.chunk_id
    limit page_embedding_jobs.match_count
  ) j,
       lateral (
         select c.* from braid_store.chunks c
         where c.tenant_id = v_tenant_id and c.id between j.chunk_id and j.chunk_id
         order by c.id
         offset 0
       ) c,
       lateral (
         select d.external_id from braid_store.documents d
         where d.tenant_id = v_tenant_id and d.id between c.document_id and c.document_id
         order by d.id
         offset 0
       ) d
  order by j.chunk_id;
end
$$;

comment on function braid_calls.page_embedding_jobs(text, int, bigint, text, text) is
  'Do the work of braid.list_embedding_jobs.';
