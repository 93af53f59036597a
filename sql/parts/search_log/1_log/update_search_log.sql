-- role: administrator
-- tenants: all
-- Collections are defined for all tenants.
create or replace function braid_store.update_search_log(
  collection text,
  log text,
  sample_share float8,
  keep_query text,
  retention interval
)
returns void
language plpgsql
volatile
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_collection braid_store.collections := braid_store.find_collection(update_search_log.collection);
  v_defaults jsonb := (
    select jsonb_object_agg(s.key, s.value -> 'default')
    from braid_store.parts p, jsonb_each(p.manifest -> 'settings') s
    where p.name = 'search_log');
  v_given jsonb;
begin
  if (update_search_log.log in ('off', 'sampled', 'all')) is not true then
    raise exception 'log is %', coalesce('''' || left(update_search_log.log, 100) || '''', 'null')
      using errcode = '22023', hint = 'Use off, sampled or all.';
  elsif not (update_search_log.sample_share > 0 and update_search_log.sample_share <= 1) then
    raise exception 'sample_share is %', update_search_log.sample_share
      using errcode = '22023', hint = 'Use a number above 0 and at most 1. To log nothing, give off as log.';
  elsif update_search_log.keep_query not in ('text', 'hash', 'nothing') then
    raise exception 'keep_query is ''%''', left(update_search_log.keep_query, 100)
      using errcode = '22023', hint = 'Use text, hash or nothing.';
  -- Check the days as they are stored: extract(epoch) gives a year 365.25 days, which are stored as 366.
  elsif not (update_search_log.retention >= interval '1 day'
             and ceil(extract(epoch from update_search_log.retention) / 86400) <= 366) then
    raise exception 'retention is %', update_search_log.retention
      using errcode = '22023', hint = 'Use 1 to 366 days. To log nothing, give off as log.';
  end if;
  v_given := jsonb_strip_nulls(jsonb_build_object(
    'search_log', update_search_log.log, 'search_log_share', update_search_log.sample_share,
    'search_log_query', update_search_log.keep_query,
    'search_log_days', ceil(extract(epoch from update_search_log.retention) / 86400)::int));
  v_collection := braid_store.lock_definition(v_collection);
  update braid_store.collections c
  set parts = braid_store.parts_with(
        c.parts,
        -- A null argument keeps its setting. A collection that logs stores all settings; a collection that does not log
        -- stores only settings that differ from the default.
        (select jsonb_object_agg(s.key, case when update_search_log.log <> 'off' or s.value <> v_defaults -> s.key
          then s.value end)
         from jsonb_each(v_defaults || coalesce(c.parts, '{}') || v_given) s
         where v_defaults ? s.key))
  where c.id = v_collection.id;
end
$$;

comment on function braid_store.update_search_log(text, text, float8, text, interval) is
  'Do the work of braid.set_search_log.';
