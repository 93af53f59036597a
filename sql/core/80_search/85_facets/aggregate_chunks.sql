create or replace function braid_store.aggregate_chunks(
  tenant_id int,
  collection_id int,
  aggregations braid_store.aggregation[],
  chunk_ids bigint[],
  reads_all boolean,
  predicate text
)
returns table (key text, value jsonb, count bigint)
language plpgsql
stable
parallel unsafe
security invoker
rows 100
set search_path = pg_catalog, pg_temp
set jit = off
set work_mem = '64MB'
-- Without sorting, the planner must use the primary key for the ordered look-ups below. On a small table, other indexes
-- that begin with the tenant seem as cheap, but each look-up would read all of the tenant's rows.
set enable_sort = off
set enable_bitmapscan = off
as $$
#variable_conflict use_column
declare
  v_chunks text := 'braid_store.chunks c';
  v_fields text;
  v_columns text;
  v_tables text;
  v_rows text;
begin
  select string_agg(a.field || ' as f' || a.number, ', '), string_agg(', ' || a.columns, ''),
         string_agg(a.tables, '' order by a.number),
         string_agg(format('(select %s, r.* from (%s) r (place, value, count))', a.number, a.rows), ' union all ')
  into v_fields, v_columns, v_tables, v_rows
  from unnest(aggregate_chunks.aggregations) with ordinality a (name, field, columns, tables, rows, is_total, filters,
                                                               follows_query, number)
  where a.name is not null;
  if v_rows is null then
    return;
  end if;
  if aggregate_chunks.reads_all then
    perform set_config('enable_bitmapscan', 'on', true);
  elsif current_setting('server_version_num')::int >= 170000 then
    v_chunks := $query$
      (select c.* from braid_store.chunks c where c.tenant_id = $1 and c.id = any ((select $2)::bigint[])
       order by c.id offset 0) c$query$;
  else
    -- For an ordered list of keys, PostgreSQL 16 would read all chunks of the tenant.
    v_chunks := $query$
      (select u as chunk_id from unnest($2) u order by u) u,
      lateral (
        select c.* from braid_store.chunks c where c.tenant_id = $1 and c.id between u.chunk_id and u.chunk_id
        order by c.id
        offset 0
      ) c$query$;
  end if;
  return query execute format($query$
    with m as (
      select c.document_id%s from %s%s where %s%s
    ), %s t (number, place, value, count) as (
      %s
    )
    select $4[t.number], t.value, t.count from t order by t.number, t.place
    $query$, v_columns, v_chunks, ', lateral (select ' || v_fields || ' offset 0) f',
    case when not aggregate_chunks.reads_all then 'true'
         -- As a filter, the array is hashed; as a condition of an index it would be sorted.
         else format('c.tenant_id = $1 and c.collection_id = $3 and (%s)',
                     case when aggregate_chunks.chunk_ids is null then aggregate_chunks.predicate
                          else 'c.id + 0 = any ($2)' end) end,
    -- A column that computes something is computed once.
    case when v_fields is not null then ' offset 0' end,
    v_tables, v_rows)
  using aggregate_chunks.tenant_id, aggregate_chunks.chunk_ids, aggregate_chunks.collection_id,
        array(select a.name from unnest(aggregate_chunks.aggregations) a);
end
$$;

comment on function braid_store.aggregate_chunks(int, int, braid_store.aggregation[], bigint[], boolean, text) is
  'Run aggregations over the given chunks, or with chunk_ids null over the chunks that meet predicate. reads_all: read '
  'all chunks of the collection instead of looking up the given chunks. Aggregations without a name are left out. The '
  'numbers of their columns are their places.';
