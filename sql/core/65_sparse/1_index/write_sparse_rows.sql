create or replace function braid_store.write_sparse_rows(
  tenant_id int,
  collection_id int,
  chunk_ids bigint[],
  terms jsonb[]
)
returns void
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set jit = off
as $$
#variable_conflict use_column
begin
  -- Rows are locked, then inserted, in the order of ids, so that two writers do not deadlock.
  perform
  from (select u.chunk_id from unnest(write_sparse_rows.chunk_ids) u (chunk_id) order by u.chunk_id offset 0) u,
       lateral (
         select from braid_store.sparse_rows r
         where r.tenant_id = write_sparse_rows.tenant_id and r.collection_id = write_sparse_rows.collection_id
           and r.chunk_id = u.chunk_id
         for update
         offset 0
       ) r;
  -- The largest id is read behind the locks: a segment that another session is still writing has a larger one, or
  -- counts as outdated, which it need not be. The terms written here come into a later segment in any case.
  insert into braid_store.sparse_rows (tenant_id, collection_id, chunk_id, newer_than, terms, weights)
  select write_sparse_rows.tenant_id, write_sparse_rows.collection_id, u.chunk_id,
         coalesce((select max(s.id) from braid_store.segments s
                   where s.tenant_id = write_sparse_rows.tenant_id
                     and s.collection_id = -write_sparse_rows.collection_id), 0),
         e.terms, e.weights
  from unnest(write_sparse_rows.chunk_ids, write_sparse_rows.terms) u (chunk_id, terms),
       lateral (
         select string_agg(t.key, E'\n' order by t.key collate "C") as terms,
                array_agg((t.value)::numeric::real order by t.key collate "C") as weights
         from jsonb_each(u.terms) t
         offset 0
       ) e
  where e.terms is not null
  order by u.chunk_id
  on conflict (tenant_id, collection_id, chunk_id) do update
    set newer_than = excluded.newer_than, terms = excluded.terms, weights = excluded.weights;
  delete from braid_store.sparse_rows r
  where r.tenant_id + 0 = write_sparse_rows.tenant_id and r.ctid = any (array(
    select r.ctid
    from unnest(write_sparse_rows.chunk_ids, write_sparse_rows.terms) u (chunk_id, terms),
         lateral (
           select r.ctid from braid_store.sparse_rows r
           where r.tenant_id = write_sparse_rows.tenant_id and r.collection_id = write_sparse_rows.collection_id
             and r.chunk_id = u.chunk_id
           offset 0
         ) r
    where u.terms = '{}'));
  perform braid_store.index_sparse_rows(write_sparse_rows.tenant_id, write_sparse_rows.collection_id, array(
    select u.chunk_id from unnest(write_sparse_rows.chunk_ids, write_sparse_rows.terms) u (chunk_id, terms)
    where u.terms <> '{}' order by u.chunk_id));
end
$$;

comment on function braid_store.write_sparse_rows(int, int, bigint[], jsonb[]) is
  'Store and index the weighted terms of chunks; they replace the terms that the chunks had. terms: for each of '
  'chunk_ids an object that check_sparse_terms has accepted; an empty object removes the chunk''s terms. The caller '
  'prevents concurrent deletes of the chunks.';
