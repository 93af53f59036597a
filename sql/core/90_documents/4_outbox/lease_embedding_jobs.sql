-- role: writer
create or replace function braid_calls.lease_embedding_jobs(
  job_count int,
  lease interval,
  collection text,
  embedding_model text
)
returns table (chunk_id bigint, input text)
language plpgsql
volatile
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
-- These settings make the planner read the primary key in its order. Without statistics, it would read and sort all
-- waiting jobs.
set jit = off
set enable_seqscan = off
set enable_bitmapscan = off
set enable_sort = off
as $$
#variable_conflict use_column
declare
  v_tenant_id int := braid_store.tenant_id_for_writing();
  v_collection braid_store.collections := braid_store.space_of_model(
    braid_store.find_collection(lease_embedding_jobs.collection), lease_embedding_jobs.embedding_model);
  v_chunk_ids bigint[];
begin
  if lease_embedding_jobs.job_count is null or lease_embedding_jobs.job_count not between 1 and 10000 then
    raise exception 'job_count is %', coalesce(lease_embedding_jobs.job_count::text, 'null')
      using errcode = '22023', hint = 'Use 1 to 10000.';
  elsif lease_embedding_jobs.lease is null or lease_embedding_jobs.lease <= interval '0' then
    raise exception 'lease is %', coalesce(lease_embedding_jobs.lease::text, 'null')
      using errcode = '22023', hint = 'Use the time a worker needs for the batch, for example ''5 minutes''.';
  end if;

  v_chunk_ids := array(
    select j.chunk_id
    from braid_store.embedding_jobs j
    where j.tenant_id = v_tenant_id and j.collection_id = v_collection.id
      and j.vector_space_id = v_collection.vector_space_id
      and (j.claimed_until is null or j.claimed_until < clock_timestamp())
      and not exists (
        select from braid_store.extend_spaces(v_collection.id) e
        where e.vector_space_id = v_collection.vector_space_id and e.is_paused)
    order by j.chunk_id
    limit lease_embedding_jobs.job_count
    for update skip locked);
  update braid_store.embedding_jobs j
  set claimed_until = clock_timestamp() + least(lease_embedding_jobs.lease, interval '100 years'), attempts = j.attempts
    + 1
  where j.tenant_id + 0 = v_tenant_id and j.ctid = any (array(
    select j.ctid
    from unnest(v_chunk_ids) u (chunk_id),
         lateral (
           select j.ctid from braid_store.embedding_jobs j
           where j.tenant_id = v_tenant_id and j.collection_id = v_collection.id
             and j.vector_space_id = v_collection.vector_space_id and j.chunk_id = u.chunk_id
           offset 0
         ) j));

  return query
  select c.id, braid_store.embedding_input(v_collection, d.title, c.speaker, c.content)
  from unnest(v_chunk_ids) l (chunk_id),
       lateral (
         select c.* from braid_store.chunks c
         where c.tenant_id = v_tenant_id and c.id between l.chunk_id and l.chunk_id
         order by c.id
         offset 0
       ) c,
       lateral (
         select d.title from braid_store.documents d
         where d.tenant_id = v_tenant_id and d.id between c.document_id and c.document_id
         order by d.id
         offset 0
       ) d
  order by c.id;
end
$$;

comment on function braid_calls.lease_embedding_jobs(int, interval, text, text) is
  'Do the work of braid.claim_embedding_jobs.';
