-- role: service
create or replace function braid_store.synced_key_index(relation regclass, fields jsonb)
returns oid
language sql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  select i.indexrelid
  from pg_index i
  where i.indrelid = relation and i.indisunique and i.indisvalid and i.indimmediate and i.indpred is null
    and i.indexprs is null
    and array(select k from unnest((i.indkey::int2[])[0:i.indnkeyatts - 1]) k order by k)
        = array(select a.attnum
                from jsonb_array_elements_text(synced_key_index.fields -> 'id') c (name)
                join pg_attribute a on a.attrelid = relation and a.attname = c.name
                order by a.attnum)
  -- An index with all columns in ascending order can be read in key order.
  order by i.indisprimary desc, (0 = all (i.indoption::int2[])) desc, i.indexrelid
  limit 1;
$$;

comment on function braid_store.synced_key_index(regclass, jsonb) is
  'Return the unique index over the key columns of a synced table; null if there is none.';
