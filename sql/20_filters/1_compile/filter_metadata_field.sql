create or replace function braid_store.filter_metadata_field(key text)
returns text
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  -- The key is compared again for each chunk.
  c_max_bytes constant int := 1024;
  c_key constant text := regexp_replace(filter_metadata_field.key, E'^metadata\\.', '');
begin
  if octet_length(filter_metadata_field.key) > c_max_bytes then
    raise exception 'metadata key % has % bytes, more than %', to_json(left(filter_metadata_field.key, 100)),
                    octet_length(filter_metadata_field.key), c_max_bytes
      using errcode = '54000', hint = 'Store what it holds under a shorter key as well.';
  end if;
  if position('.' in c_key) = 0 then
    return format('(c.metadata -> %L)', c_key);
  end if;
  -- Flattened metadata ({"loc.page": 3}) is common too. So the key as written goes before the path.
  return format('coalesce(c.metadata -> %L, c.metadata #> %L)', c_key, string_to_array(c_key, '.'));
end
$$;
comment on function braid_store.filter_metadata_field(text) is
  'Returns the SQL expression for a metadata key of a filter: the value under the key as written; if there is none, the '
  'value at the path that the key''s dots describe.';
