-- This function works across tenants.
create or replace function braid_store.leave_postings(doomed_ids bigint[] default '{}')
returns void
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
set jit = off
as $$
declare
  -- Some dead bytes for each living one, and some more, are left to vacuum, so that few postings move.
  c_dead_share constant float8 := 0.4;
  c_least_dead constant float8 := 4000000;
  -- The table grows by this factor before the next check.
  c_growth constant float8 := 1.1;
  -- The pages that a check reads of a large table.
  c_sample constant float8 := 2000;
  -- The bytes that a row takes besides its lexeme and lists, with its entry in the index.
  c_row constant int := 110;
  v_tables braid_store.posting_tables;
  v_name text;
  v_bytes bigint;
  v_percent float8;
  v_living float8;
begin
  select t.* into v_tables from braid_store.posting_tables t;
  v_name := 'postings_' || v_tables.active;
  v_bytes := pg_total_relation_size(format('braid_store.%I', v_name)::regclass);
  if v_tables.left_by is not null or v_bytes < v_tables.check_at_bytes then
    return;
  end if;
  v_percent := least(100, 100 * c_sample * current_setting('block_size')::int
                          / greatest(pg_relation_size(format('braid_store.%I', v_name)::regclass), 1));
  execute format($query$
    select coalesce(sum($1 + 2 * octet_length(p.lexeme) + coalesce(pg_column_size(p.elements), 0)
                        + coalesce(pg_column_size(p.blocks), 0)), 0) * 100 / $2
    from braid_store.%I p tablesample system ($2)
    where p.segment_id <> all ($3)
    $query$, v_name)
  into v_living
  using c_row, v_percent, leave_postings.doomed_ids;
  -- Skip the update if another session has locked the row, because it does the same.
  update braid_store.posting_tables t
  set active = case when c.is_left then translate(t.active, 'ab', 'ba') else t.active end,
      left_by = case when c.is_left then pg_current_xact_id() end,
      check_at_bytes = case when c.is_left then t.check_at_bytes else c_growth * v_bytes end
  from (select v_bytes - v_living > c_dead_share * v_living + c_least_dead as is_left) c
  where t.left_by is null
    and t.ctid = any (array(select u.ctid from braid_store.posting_tables u where u.only_row for update skip locked));
end
$$;

comment on function braid_store.leave_postings(bigint[]) is
  'Make writers use the other table of postings if much of the present one is dead and the other one is empty. '
  'doomed_ids: segments whose postings the caller is about to delete. empty_postings moves what lives.';
