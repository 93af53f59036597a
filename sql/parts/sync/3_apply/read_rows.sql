-- role: service
create or replace function braid_store.read_rows(query text, tenant text, tenants text[], keys jsonb[])
returns table (row_tenant text, documents jsonb, gone_ids text[])
language plpgsql
stable
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
-- Never evaluate the table's policies, which may be any role's code: a login that cannot bypass them gets an error.
set row_security = off
-- The planner would run the functions of the table's CHECK constraints.
set constraint_exclusion = off
-- These settings make a row give the same document in every session.
set datestyle = 'ISO, MDY'
set timezone = 'UTC'
set extra_float_digits = 1
set intervalstyle = 'postgres'
set bytea_output = 'hex'
set lc_monetary = 'C'
as $$
declare
  c_part_bytes constant int := 16000000;
  v_restricted text := braid_store.restrict_relations('view,foreign-table');
begin
  return query execute format($query$
    with given as (
      select u.key, u.tenant, u.place::int as place
      from unnest($2, $3) with ordinality u (key, tenant, place)
    ), found as materialized (
      select f.place, coalesce(f.tenant, $4) as tenant,
             f.document || jsonb_build_object('external_id', braid_store.synced_external_id(g.key)) as document
      from (%s) f join given g on g.place = f.place
      where coalesce(f.tenant, $4) is not null
    ), wanted as (
      select f.tenant, f.document ->> 'external_id' as external_id, f.document from found f
      union all
      -- Add the rows that are gone, or that changed their tenant.
      select coalesce(g.tenant, $4), braid_store.synced_external_id(g.key), null
      from given g
      where coalesce(g.tenant, $4) is not null
        and not exists (select from found f where f.place = g.place and f.tenant = coalesce(g.tenant, $4))
    )
    select d.tenant, coalesce(jsonb_agg(d.document) filter (where d.document is not null), '[]'),
           coalesce(array_agg(d.external_id) filter (where d.document is null), '{}')
    from (
      select w.*,
             (sum(w.bytes) over (partition by w.tenant
               order by w.external_id rows unbounded preceding) - w.bytes) / %s as part
      from (
        select distinct on (w.tenant, w.external_id) w.*, coalesce(pg_column_size(w.document), 0) as bytes
        from wanted w
        order by w.tenant, w.external_id, w.document is null
      ) w
    ) d
    group by d.tenant, d.part
    order by d.tenant, d.part
    $query$, read_rows.query, c_part_bytes)
  using to_jsonb(read_rows.keys), read_rows.keys, read_rows.tenants, read_rows.tenant;
  perform braid_store.restrict_relations(v_restricted);
end
$$;

comment on function braid_store.read_rows(text, text, text[], jsonb[]) is
  E'Read the rows of keys with the SQL of row_query. For each tenant, return the documents that exist and the ids of '
  'deleted ones; one row per 16 MB.\n'
  'tenant: the tenant of all rows; null if each row names its own. tenants: the tenants that the rows had when they '
  'changed.';
