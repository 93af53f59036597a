create or replace function braid_store.draw_changes(tuning_values jsonb, draw int, seed int)
returns jsonb
language sql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  -- Take random numbers from a hash: random() would depend on the session and on the version of PostgreSQL.
  select jsonb_object_agg(k.key, k.value -> (k.hash % jsonb_array_length(k.value))::int)
  from (
    select v.key, v.value, h.hash >> 20 as hash, row_number() over (order by h.hash, v.key) as place,
           count(*) over () as key_count
    from jsonb_each(draw_changes.tuning_values) v,
         lateral (select hashtextextended(draw_changes.draw || ' ' || v.key, seed) & 9223372036854775807 as hash) h
  ) k
  where k.place <= 1 + (hashtextextended(draw_changes.draw::text, seed) & 9223372036854775807) % k.key_count;
$$;

comment on function braid_store.draw_changes(jsonb, int, int) is
  'Draw a combination of a search space: the number of keys that change (from one to all), the keys, and their values.';
