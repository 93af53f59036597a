create or replace function braid_store.expire_searches(deadline timestamptz)
returns boolean
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  c_least_id constant uuid := '00000000-0000-0000-0000-000000000000';
  v_days int := (
    select p.manifest #> '{settings,search_log_days,default}' from braid_store.parts p where p.name = 'search_log');
  v_is_first boolean := true;
  v_day record;
  v_first_id uuid;
  v_end_id uuid;
begin
  if not exists (select from braid_store.search_log_days) then
    return braid_store.expire_hours(expire_searches.deadline);
  elsif not braid_store.lock_search_log() then
    return false;
  end if;
  for v_day in
    select d.day, x.collection_ids, x.collection_ids @> d.collection_ids as is_whole
    from braid_store.search_log_days d,
         lateral (
           select array_agg(u.id) as collection_ids
           from unnest(d.collection_ids) u (id)
           left join braid_store.collections c on c.id = u.id
           where c.id is null
              or (d.day + 1)::timestamp at time zone 'UTC'
                + make_interval(days => coalesce((c.parts ->> 'search_log_days')::int, v_days))
                 <= clock_timestamp()
         ) x
    where x.collection_ids is not null
    order by d.day
  loop
    -- Expire hours only if a day expires, about once a day, and before the day: if time runs out, the day is still
    -- there next time.
    if v_is_first and not braid_store.expire_hours(expire_searches.deadline) then
      return false;
    end if;
    v_is_first := false;
    v_first_id := braid_store.first_search_id(v_day.day::timestamp at time zone 'UTC');
    v_end_id := braid_store.first_search_id((v_day.day + 1)::timestamp at time zone 'UTC');
    -- If the whole day expires, also delete older feedback, which may have been committed after its search was deleted.
    -- If only some collections' rows expire, do not read older rows: another collection may keep millions of them.
    if not braid_store.delete_logged('search_feedback', case when v_day.is_whole then c_least_id else v_first_id end,
                                     v_end_id, v_day.collection_ids, expire_searches.deadline) then
      return false;
    elsif not v_day.is_whole
          and not braid_store.delete_logged('search_log_' || to_char(v_day.day, 'YYYYMMDD'), v_first_id, v_end_id,
                                            v_day.collection_ids, expire_searches.deadline) then
      return false;
    end if;
    -- When no collection is left, drop_search_days drops the table.
    update braid_store.search_log_days d
    set collection_ids = array(select u.id from unnest(d.collection_ids) u (id)
      where u.id <> all (v_day.collection_ids))
    where d.day = v_day.day;
    if clock_timestamp() > expire_searches.deadline then
      return false;
    end if;
  end loop;
  return true;
end
$$;

comment on function braid_store.expire_searches(timestamptz) is
  'Delete searches past their retention, and searches of dropped collections, with their feedback, until the '
  'deadline. drop_search_days later drops the tables of days that no collection keeps. Return whether nothing is '
  'left to do now.';
