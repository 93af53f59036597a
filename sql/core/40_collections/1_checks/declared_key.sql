create or replace function braid_store.declared_key(name text)
returns text
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
begin
  return case
    when declared_key.name in ('speaker', 'category', 'language', 'importance', 'occurred_at', 'external_id',
      'source_uri')
         or declared_key.name ^@ '$' or declared_key.name ^@ 'metadata.' then 'metadata.' || declared_key.name
    else declared_key.name end;
end
$$;

comment on function braid_store.declared_key(text) is
  'Return a metadata key in the form that braid.set_indexed_attributes takes: with the prefix "metadata." if the key '
  'alone would mean something else.';
