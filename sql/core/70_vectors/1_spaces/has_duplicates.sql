create or replace function braid_store.has_duplicates(shard_id int, row_alias text)
returns text
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
begin
  return format('exists (select from braid_store.vectors_%1$s d where d.tenant_id = $1 '
                'and d.embedding_hash = %2$I.embedding_hash and d.is_duplicate '
                'and d.embedding operator(@vector@.=) %2$I.embedding offset 0)', shard_id, row_alias);
end
$$;

comment on function braid_store.has_duplicates(int, text) is
  'Return an SQL condition on a row of a shard that holds if the shard has duplicates of its vector. In the '
  'condition, $1 is the tenant.';
