create or replace function braid_store.index_statistics(tenant_id int, collection_id int)
returns table (chunk_count bigint, body_length bigint, title_length bigint)
language sql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  select s.chunk_count - t.chunk_count, s.body_length - t.body_length, s.title_length - t.title_length
  from (
    select coalesce(sum(s.chunk_count), 0)::bigint as chunk_count, coalesce(sum(s.body_length), 0)::bigint as body_length,
           coalesce(sum(s.title_length), 0)::bigint as title_length
    from braid_store.segments s
    where s.tenant_id = index_statistics.tenant_id and s.collection_id = index_statistics.collection_id
  ) s, (
    select count(*) as chunk_count, coalesce(sum(t.body_length), 0)::bigint as body_length,
           coalesce(sum(t.title_length), 0)::bigint as title_length
    from braid_store.tombstones t
    where t.tenant_id = index_statistics.tenant_id and t.collection_id = index_statistics.collection_id
  ) t;
$$;

comment on function braid_store.index_statistics(int, int) is
  'Live chunks and their total lengths in tokens, exact: segments less tombstones.';
