create or replace function braid_store.delete_rows(table_name text, tenant_id int, collection_id int)
returns bigint
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  v_count bigint;
begin
  execute format(
    case
      -- Delete by chunk, because no index of these two tables begins with the collection. Forward rows exist for
      -- deleted chunks, too.
      when delete_rows.table_name in ('forward_rows', 'chunk_attributes') then $query$
        delete from braid_store.%1$I t
        where t.tenant_id + 0 = $1 and t.ctid = any (array(
          select t.ctid
          from (
            select c.id from braid_store.chunks c where c.tenant_id = $1 and c.collection_id = $2
            union all
            select d.chunk_id from braid_store.tombstones d where d.tenant_id = $1 and d.collection_id = $2
          ) u,
          lateral (select t.ctid from braid_store.%1$I t where t.tenant_id = $1 and t.chunk_id = u.id offset 0) t))
        $query$
      -- The index of sparse terms has the collection's id negated.
      else 'delete from braid_store.%I where tenant_id = $1 and collection_id in ($2, -$2)'
    end, delete_rows.table_name)
  using delete_rows.tenant_id, delete_rows.collection_id;
  get diagnostics v_count = row_count;
  return v_count;
end
$$;

comment on function braid_store.delete_rows(text, int, int) is
  'Delete the rows that a tenant''s part of a collection has in one of braid_store.collection_tables. The caller '
  'goes through these tables in their order. Return the number of rows.';
