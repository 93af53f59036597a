create or replace function braid_store.lease_embedding_jobs(job_count int, lease interval, collection text)
returns table (chunk_id bigint, input text)
language plpgsql
volatile
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  v_tenant_id int := braid_store.require_tenant_id();
  v_collection braid_store.collections := braid_store.find_collection(lease_embedding_jobs.collection);
begin
  if lease_embedding_jobs.job_count is null or lease_embedding_jobs.job_count not between 1 and 10000 then
    raise exception 'job_count is %', coalesce(lease_embedding_jobs.job_count::text, 'null')
      using errcode = '22023', hint = 'Use 1 to 10000.';
  elsif lease_embedding_jobs.lease is null or lease_embedding_jobs.lease <= interval '0' then
    raise exception 'lease is %', coalesce(lease_embedding_jobs.lease::text, 'null')
      using errcode = '22023', hint = 'Use the time a worker needs for the batch, for example ''5 minutes''.';
  end if;

  return query
  with leased as (
    update braid_store.embedding_jobs j
    set claimed_until = clock_timestamp() + lease_embedding_jobs.lease, attempts = j.attempts + 1
    from (
      select w.chunk_id
      from braid_store.embedding_jobs w
      where w.tenant_id = v_tenant_id and w.collection_id = v_collection.id
        and (w.claimed_until is null or w.claimed_until < clock_timestamp())
      order by w.chunk_id
      limit lease_embedding_jobs.job_count
      for update skip locked
    ) w
    where j.tenant_id = v_tenant_id and j.collection_id = v_collection.id and j.chunk_id = w.chunk_id
    returning j.chunk_id
  )
  select c.id, concat_ws(E'\n',
                         case when 'title' = any (v_collection.embed_fields) then
                           -- The splitter left half the window to title and speaker; a longer title is cut.
                           left(d.title, v_collection.chunk_tokens * 2) end,
                         case when 'speaker' = any (v_collection.embed_fields) then c.speaker end,
                         c.content)
  from leased l
  join braid_store.chunks c on c.tenant_id = v_tenant_id and c.id = l.chunk_id
  join braid_store.documents d on d.tenant_id = v_tenant_id and d.id = c.document_id
  order by c.id;
end
$$;

comment on function braid_store.lease_embedding_jobs(int, interval, text) is
  'Does the work of braid.claim_embedding_jobs.';
