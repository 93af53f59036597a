-- role: service
create or replace function braid_store.next_keys(
  synced braid_store.synced_tables,
  relation regclass,
  row_count int,
  out keys jsonb[],
  out tenants text[],
  out last_key jsonb
)
language plpgsql
stable
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
-- Never evaluate the table's policies, which may be any role's code: a login that cannot bypass them gets an error.
set row_security = off
-- The planner would run the functions of the table's CHECK constraints.
set constraint_exclusion = off
as $$
declare
  v_order text;
  v_reached text;
  v_restricted text := braid_store.restrict_relations('view,foreign-table');
begin
  -- Use the columns and collations of its index, so that nothing is sorted.
  select string_agg(format('t.%I', a.attname) || v.collated, ', ' order by k.place),
         string_agg(format('($1 -> ''key'' ->> %s)::%s', c.ordinality - 1, braid_store.synced_key_type(relation,
           a.attname)), ', '
                    order by k.place)
  into v_order, v_reached
  from pg_index i
  cross join unnest(i.indkey::int2[], i.indcollation::oid[]) with ordinality k (attnum, collation_id, place)
  join pg_attribute a on a.attrelid = relation and a.attnum = k.attnum
  join jsonb_array_elements_text(next_keys.synced.fields -> 'id') with ordinality c on c.value = a.attname
  left join pg_collation l on l.oid = k.collation_id and l.oid <> a.attcollation
  cross join lateral (
    select case when l.oid is null then '' else format(' collate %s.%I', l.collnamespace::regnamespace, l.collname) end
           as collated) v
  where i.indexrelid = braid_store.synced_key_index(relation, next_keys.synced.fields) and k.place <= i.indnkeyatts;
  execute format($query$
    select coalesce(array_agg(k.key order by k.number), '{}'), array_agg(k.tenant order by k.number)
    from (
      select %s as key, %s as tenant, row_number() over () as number
      from (select %s from %s t where %s order by %s limit $2) t
    ) k
    $query$,
    braid_store.synced_key(next_keys.synced.fields), braid_store.synced_tenant(next_keys.synced.fields),
    (select string_agg(distinct format('t.%I', c.value), ', ')
     from jsonb_each(next_keys.synced.fields) f, jsonb_array_elements_text(f.value) c
     where f.key in ('id', 'tenant_column')), braid_store.synced_source(relation),
    -- If the order has changed, start from the beginning.
    case when next_keys.synced.reached_key ->> 'order' = v_order then format('(%s) > (%s)', v_order, v_reached)
      else 'true' end,
    v_order)
  into keys, tenants
  using next_keys.synced.reached_key, next_keys.row_count;
  perform braid_store.restrict_relations(v_restricted);
  if keys <> '{}' then
    last_key := jsonb_build_object('order', v_order, 'key', keys[cardinality(keys)]);
  end if;
end
$$;

comment on function braid_store.next_keys(braid_store.synced_tables, regclass, int) is
  'Return the keys of the rows of a synced table that follow the last key reached, in the order of its index. '
  'last_key: where the next call continues; null after the end.';
