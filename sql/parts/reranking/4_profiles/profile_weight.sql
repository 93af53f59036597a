create or replace function braid_store.profile_weight(key text, weights jsonb)
returns text
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  v_field text;
begin
  if profile_weight.key in ('category', 'speaker', 'language') then
    return format('(%L::jsonb ->> c.%I)::float8', profile_weight.weights, profile_weight.key);
  end if;
  v_field := braid_store.filter_metadata_field(profile_weight.key);
  -- Each value of an array counts once. Sorting them makes equal sets give equal sums to the last bit.
  return format(
    'case jsonb_typeof(%1$s) when ''array'' then ('
    'select sum((%2$L::jsonb ->> e.value)::float8 order by e.value) '
    'from (select distinct a.value #>> ''{}'' collate "C" as value from jsonb_array_elements(%1$s) a) e) '
    'else (%2$L::jsonb ->> (%1$s #>> ''{}''))::float8 end',
    v_field, profile_weight.weights);
end
$$;

comment on function braid_store.profile_weight(text, jsonb) is
  'Return the SQL expression, on braid_store.chunks c, for the weight that a profile gives a chunk''s value under a '
  'key; null if it gives none. key is category, speaker, language or a metadata key. weights: a weight for each '
  'value. Numbers and booleans are found by their text; the weights of all values of a metadata array are added.';
