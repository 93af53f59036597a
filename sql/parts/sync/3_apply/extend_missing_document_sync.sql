-- role: definer
-- tenants: all
-- Changes of synced tables belong to no tenant.
create or replace function braid_store.extend_missing_document_sync(collection_id int, external_id text)
returns text
language plpgsql
stable
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
as $$
declare
  c_most_changes constant int := 10000;
  -- Only rows of the session's tenant may be reported.
  v_tenant_id int := braid.current_tenant_id();
  v_tenant text := braid_calls.session_tenant_key();
  v_synced braid_store.synced_tables;
  v_change record;
  v_may_wait boolean := false;
begin
  for v_synced in
    select s.*
    from braid_store.synced_tables s
    where s.collection_id = extend_missing_document_sync.collection_id and s.phase not in ('lost', 'end')
      and coalesce(s.fixed_tenant_id, v_tenant_id) = v_tenant_id
  loop
    select max(c.last_error) as last_error, bool_or(c.is_row) as is_row, bool_or(c.key is null) as is_unknown,
      count(*) as count
    into v_change
    from (
      select w.key, w.is_row, case when w.is_row then w.last_error end as last_error
      from (
        (select c.* from braid_store.row_changes c where c.synced_table_id = v_synced.id order by c.id
          limit c_most_changes)
        union
        (select c.* from braid_store.row_changes c where c.synced_table_id = v_synced.id order by c.id desc
         limit c_most_changes)
      ) c
      cross join lateral (
        select c.key, c.last_error,
               coalesce(c.tenant, v_tenant) = v_tenant
               and case jsonb_array_length(c.key)
                     when 1 then c.key ->> 0
                     else array(select e.value from jsonb_array_elements_text(c.key) with ordinality e
                       order by e.ordinality)::text
                   end = extend_missing_document_sync.external_id as is_row
      ) w
    ) c;
    -- Where rows say who may read them, the session may be one that must not learn which rows there are.
    if v_change.is_row and not v_synced.fields ? 'access' then
      return 'It is a changed row of a synced table and waits for braid.apply_changes, which pgbraid work calls.'
             || coalesce(' The last try failed: ' || left(v_change.last_error, 300), '');
    end if;
    v_may_wait := v_may_wait or v_change.is_unknown or v_change.count >= 2 * c_most_changes
      or v_synced.phase = 'backfill' or v_synced.fields ? 'access' and v_change.count > 0;
  end loop;
  return case when v_may_wait then
    'braid.apply_changes, which pgbraid work calls, has not read all rows of a synced table yet: the document may '
    'be one of them.' end;
end
$$;

comment on function braid_store.extend_missing_document_sync(int, text) is
  'Say that a missing document is a row of a synced table that waits, or may be one; return null if it is neither.';
