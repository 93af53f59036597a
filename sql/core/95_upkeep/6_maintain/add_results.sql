-- role: service
create or replace function braid_store.add_results(so_far jsonb, done jsonb)
returns jsonb
language sql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  select jsonb_object_agg(k, case k
           when 'warnings' then coalesce(so_far -> k, '[]') || coalesce(done -> k, '[]')
           when 'complete' then
             to_jsonb(coalesce((so_far -> k)::boolean, true) and coalesce((done -> k)::boolean, true))
           when 'seconds_needed' then to_jsonb(greatest((so_far -> k)::int, (done -> k)::int))
           else to_jsonb(coalesce((so_far -> k)::bigint, 0) + coalesce((done -> k)::bigint, 0)) end)
  from jsonb_object_keys(so_far || done) k;
$$;

comment on function braid_store.add_results(jsonb, jsonb) is
  'Add up two results of maintenance: counts and warnings of both, the longer seconds_needed, and complete if both '
  'are.';
