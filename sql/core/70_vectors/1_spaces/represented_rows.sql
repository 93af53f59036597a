create or replace function braid_store.represented_rows(shard_id int)
returns text
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
begin
  -- offset 0 forces a look-up for each row, as in not_overridden.
  return format('lateral (select v.chunk_id union all (select d.chunk_id from braid_store.vectors_%s d '
                'where d.tenant_id = v.tenant_id and d.embedding_hash = v.embedding_hash and d.is_duplicate '
                'and d.embedding operator(@vector@.=) v.embedding offset 0)) r', shard_id);
end
$$;

comment on function braid_store.represented_rows(int) is
  'Return SQL for the chunks that a row v of a shard, found by its index, represents: its own chunk and the chunks '
  'of its duplicates, as r.';
