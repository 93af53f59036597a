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
  -- By what is stored: a year has 365.25 days then, and is less than 366 days as an interval.
  elsif not (update_search_log.retention >= interval '1 day'
             and ceil(extract(epoch from update_search_log.retention) / 86400) <= 366) then
    raise exception 'retention is %', update_search_log.retention
      using errcode = '22023', hint = 'Use 1 to 366 days. To log nothing, give off as log.';
  end if;
  v_collection := braid_store.lock_definition(v_collection);
  update braid_store.collections c
  set search_log = update_search_log.log,
      search_log_share = coalesce(update_search_log.sample_share, c.search_log_share),
      search_log_query = coalesce(update_search_log.keep_query, c.search_log_query),
      search_log_days = coalesce(ceil(extract(epoch from update_search_log.retention) / 86400)::int, c.search_log_days)
  where c.id = v_collection.id;
end
$$;

comment on function braid_store.update_search_log(text, text, float8, text, interval) is
  'Does the work of braid.set_search_log.';
