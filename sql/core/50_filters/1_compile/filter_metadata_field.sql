create or replace function braid_store.filter_metadata_field(key text)
returns text
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  -- The key's length is limited, because the key is compared with the keys of each chunk.
  c_max_bytes constant int := 1024;
  c_key constant text := regexp_replace(filter_metadata_field.key, E'^metadata\\.', '');
  v_path text[];
  v_steps text;
begin
  if octet_length(filter_metadata_field.key) > c_max_bytes then
    raise exception 'metadata key % has % bytes, more than %', to_json(left(filter_metadata_field.key, 100)),
                    octet_length(filter_metadata_field.key), c_max_bytes
      using errcode = '54000', hint = 'Store the value under a shorter key as well, and filter by that key.';
  end if;
  if position('.' in c_key) = 0 then
    return format('(c.metadata -> %L)', c_key);
  end if;
  v_path := string_to_array(c_key, '.');
  -- A number may be a place in a list as well as a key.
  if c_key ~ E'(^|\\.)\\d+(\\.|$)' then
    return format('coalesce(c.metadata -> %1$L, c.metadata #> %2$L, braid_store.listed_values(c.metadata, %2$L))',
      c_key, v_path);
  end if;
  -- The key as written is tried before the path, because flattened metadata ({"loc.page": 3}) is common. JSONPath goes
  -- through lists; it is tried last, because it takes longer. It returns the same as braid_store.listed_values.
  v_steps := 'lax $' || (select string_agg('.' || to_json(s.step), '' order by s.place)
                         from unnest(v_path) with ordinality s (step, place));
  return format('coalesce(c.metadata -> %L, c.metadata #> %L, case when c.metadata @@ %L '
                'then jsonb_path_query_array(c.metadata, %L) end)',
                c_key, v_path, v_steps || '.type() != "null"', v_steps || '[*]');
end
$$;
comment on function braid_store.filter_metadata_field(text) is
  'Return the SQL expression for a metadata key of a filter. It gives the value under the key as written. If there '
  'is none, it gives the value at the path that the key''s dots describe. If the path leads through lists of '
  'objects, it gives a list of the values of all these objects.';
