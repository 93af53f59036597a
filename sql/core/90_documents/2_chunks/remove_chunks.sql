create or replace function braid_store.remove_chunks(
  tenant_id int,
  collection_id int,
  chunk_ids bigint[],
  keeps_vectors boolean default false
)
returns void
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
-- A plan made while the tables were small would scan them for each key, for as long as the session keeps it.
set enable_seqscan = off
as $$
#variable_conflict use_column
declare
  v_held_ids bigint[];
  v_deletion_id bigint;
begin
  if remove_chunks.chunk_ids = '{}' then
    return;
  end if;

  -- Lock chunks, then jobs, in the order of their ids, as write_vectors does, so the two cannot deadlock. A locked
  -- chunk gets no new job.
  perform
  from (select u.id from unnest(remove_chunks.chunk_ids) u (id) order by u.id offset 0) u,
       lateral (
         select c.id from braid_store.chunks c
         where c.tenant_id = remove_chunks.tenant_id and c.id between u.id and u.id
         order by c.id
         for update
         offset 0
       ) c;
  -- List every vector space, whatever a model change does meanwhile, so that the primary key finds the jobs. Look up
  -- each whole key: for a list, PostgreSQL 16, without statistics, would read all jobs of the tenant.
  perform
  from (
         select u.chunk_id, s.id as vector_space_id
         from unnest(remove_chunks.chunk_ids) u (chunk_id), braid_store.vector_spaces s
         order by 1, 2
         offset 0
       ) u,
       lateral (
         select from braid_store.embedding_jobs j
         where j.tenant_id = remove_chunks.tenant_id and j.collection_id = remove_chunks.collection_id
           and j.vector_space_id = u.vector_space_id and j.chunk_id = u.chunk_id
         for update
         offset 0
       ) j;

  v_held_ids := braid_store.erase_emptied_segments(remove_chunks.tenant_id, remove_chunks.collection_id,
                                                   remove_chunks.chunk_ids);
  if v_held_ids <> '{}' then
    v_deletion_id := braid_store.write_deletion(remove_chunks.tenant_id, remove_chunks.collection_id, v_held_ids);
    insert into braid_store.tombstones (tenant_id, collection_id, chunk_id, segment_id)
    select remove_chunks.tenant_id, remove_chunks.collection_id, u.chunk_id, v_deletion_id
    from unnest(v_held_ids) u (chunk_id);
  end if;

  delete from braid_store.embedding_jobs j
  where j.tenant_id + 0 = remove_chunks.tenant_id and j.ctid = any (array(
    select j.ctid
    from unnest(remove_chunks.chunk_ids) u (chunk_id), braid_store.vector_spaces s,
         lateral (
           select j.ctid from braid_store.embedding_jobs j
           where j.tenant_id = remove_chunks.tenant_id and j.collection_id = remove_chunks.collection_id
             and j.vector_space_id = s.id and j.chunk_id = u.chunk_id
           offset 0
         ) j));
  if not remove_chunks.keeps_vectors then
    perform braid_store.remove_vectors(remove_chunks.tenant_id, remove_chunks.collection_id, remove_chunks.chunk_ids);
    perform braid_store.remove_sparse_rows(remove_chunks.tenant_id, remove_chunks.collection_id,
      remove_chunks.chunk_ids);
  end if;
  delete from braid_store.chunk_attributes a
  where a.tenant_id + 0 = remove_chunks.tenant_id and a.ctid = any (array(
    select a.ctid
    from unnest(remove_chunks.chunk_ids) u (chunk_id),
         lateral (
           select a.ctid from braid_store.chunk_attributes a
           where a.tenant_id = remove_chunks.tenant_id and a.chunk_id between u.chunk_id and u.chunk_id
           order by a.chunk_id
           offset 0
         ) a));
  delete from braid_store.chunks c
  where c.tenant_id + 0 = remove_chunks.tenant_id and c.ctid = any (array(
    select c.ctid
    from unnest(remove_chunks.chunk_ids) u (chunk_id),
         lateral (
           select c.ctid from braid_store.chunks c
           where c.tenant_id = remove_chunks.tenant_id and c.id between u.chunk_id and u.chunk_id
           order by c.id
           offset 0
         ) c));
end
$$;

comment on function braid_store.remove_chunks(int, int, bigint[], boolean) is
  'Delete chunks and all that is derived from them. A segment of the index that also holds other chunks keeps its '
  'rows; tombstones hide them until a merge. keeps_vectors: whether the caller still needs the vectors and the '
  'sparse terms, and calls remove_vectors and remove_sparse_rows later in this transaction.';
