-- role: service
create or replace function braid_store.row_query(synced braid_store.synced_tables, relation regclass)
returns text
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  v_owner text;
  v_keys text;
  v_columns text;
begin
  -- From now on nobody can replace the table. read_rows() makes sure that it is no view.
  execute format('lock table only %s in access share mode', relation);
  select pg_get_userbyid(c.relowner) into v_owner from pg_class c where c.oid = relation and c.relkind in ('r', 'p');
  if v_owner is distinct from row_query.synced.table_owner then
    raise exception 'table "%" belongs to "%" now, not to "%"', relation, v_owner, row_query.synced.table_owner
      using errcode = '42501', hint = 'Have an administrator who owns it call braid.sync_table again.';
  end if;
  perform braid_store.check_synced_relation(relation, row_query.synced.fields, row_query.synced.mode);
  perform braid_store.refuse_code(relation);

  select string_agg(
           -- Never cast to the column's own type: a cast to a domain runs its checks.
           format('t.%I = (k.value ->> %s)::%s', c.value, c.ordinality - 1, braid_store.synced_key_type(relation,
             c.value)),
           ' and ' order by c.ordinality)
  into v_keys
  from jsonb_array_elements_text(row_query.synced.fields -> 'id') with ordinality c;

  select string_agg(distinct format('t.%I', c.value), ', ') into v_columns
  from jsonb_each(row_query.synced.fields) f, jsonb_array_elements_text(f.value) c;
  return format($query$
    select k.ordinality::int as place, %s as tenant, %s as document
    from jsonb_array_elements($1) with ordinality k,
         lateral (select %s from %s t where %s offset 0) t
    where %s
    $query$,
    braid_store.synced_tenant(row_query.synced.fields), braid_store.synced_document(relation, row_query.synced.fields),
      v_columns,
    braid_store.synced_source(relation), v_keys, braid_store.synced_filter(row_query.synced.fields));
end
$$;

comment on function braid_store.row_query(braid_store.synced_tables, regclass) is
  'Return SQL that reads the rows of a synced table with the keys $1, an array of arrays, as documents with their '
  'places. Lock the table against changes of its definition. The SQL runs no code but PostgreSQL''s own: see '
  'synced_value.';
