create or replace function braid_store.leg_normalisation(collection braid_store.collections, options jsonb, leg text)
returns text
language sql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  select coalesce(case jsonb_typeof(leg_normalisation.options -> 'normalisation')
                    when 'string' then leg_normalisation.options ->> 'normalisation'
                    when 'object' then leg_normalisation.options -> 'normalisation' ->> leg_normalisation.leg
                  end, (leg_normalisation.collection).normalisation);
$$;

comment on function braid_store.leg_normalisation(braid_store.collections, jsonb, text) is
  'How a search normalises the scores of a leg: as the option normalisation says, else as its collection does.';
