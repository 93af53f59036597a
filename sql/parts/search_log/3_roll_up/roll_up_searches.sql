create or replace function braid_store.roll_up_searches(deadline timestamptz)
returns boolean
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
set jit = off
set enable_seqscan = off
as $$
#variable_conflict use_column
declare
  -- The number of pages to read at a time, about a thousand rows. A row may have 100 kB.
  c_pages constant int := 40;
  v_page_count bigint := pg_relation_size('braid_store.search_log') / current_setting('block_size')::int;
  -- Read from the last page down: moved rows leave empty pages, and vacuum can only give back pages at the end. From
  -- the first page, each call would read the empty pages again.
  v_page bigint := (greatest(v_page_count - 1, 0) / c_pages) * c_pages;
  v_rows braid_store.search_log[];
  v_left_rows braid_store.search_log[];
  v_day record;
begin
  if v_page_count = 0 then
    return true;
  elsif not braid_store.lock_search_log() then
    return false;
  end if;
  while v_page >= 0 loop
    -- Count and delete a row in the same transaction, so that it counts exactly once.
    with gone as (
      delete from only braid_store.search_log l
      where l.ctid = any (array(
        select s.ctid
        from only braid_store.search_log s
        where s.ctid >= format('(%s,0)', v_page)::tid and s.ctid < format('(%s,0)', v_page + c_pages)::tid
        for update skip locked))
      returning l
    )
    select array_agg(k.l) filter (where k.is_kept), array_agg(k.l) filter (where not k.is_kept)
    into v_rows, v_left_rows
    from (
      select g.l, exists (select from braid_store.tenants t where t.id = (g.l).tenant_id)
                  and exists (select from braid_store.collections c where c.id = (g.l).collection_id) as is_kept
      from gone g
      offset 0
    ) k;
    if v_left_rows is not null then
      -- Delete rows of dropped tenants and collections, with their feedback.
      delete from braid_store.search_feedback f
      where f.ctid = any (array(
        select f.ctid
        from unnest(v_left_rows) r,
             lateral (
               select f.ctid from braid_store.search_feedback f where f.tenant_id = r.tenant_id
                 and f.search_id = r.search_id
               offset 0
             ) f));
    end if;
    if v_rows is not null then
      perform braid_store.count_searches(v_rows);
      for v_day in
        select (r.searched_at at time zone 'UTC')::date as day, array_agg(r) as searches,
               array_agg(distinct r.collection_id) as collection_ids
        from unnest(v_rows) r
        group by 1
      loop
        if not exists (select from braid_store.search_log_days d where d.day = v_day.day) then
          perform braid_store.create_log_day(v_day.day);
        end if;
        execute format('insert into braid_store.search_log_%s select * from unnest($1)', to_char(v_day.day, 'YYYYMMDD'))
          using v_day.searches;
        update braid_store.search_log_days d
        set collection_ids = d.collection_ids
                             || array(select u.id from unnest(v_day.collection_ids) u (id)
                               where u.id <> all (d.collection_ids))
        where d.day = v_day.day and not d.collection_ids @> v_day.collection_ids;
      end loop;
    end if;
    v_page := v_page - c_pages;
    -- Check the time after a batch, so that each call does at least one batch, however little time other tasks leave.
    if clock_timestamp() > roll_up_searches.deadline then
      return v_page < 0;
    end if;
  end loop;
  return true;
end
$$;

comment on function braid_store.roll_up_searches(timestamptz) is
  'Add new logged searches to the counts of their hours and move them to the tables of their days, in batches until '
  'the deadline. Return whether none is left.';
