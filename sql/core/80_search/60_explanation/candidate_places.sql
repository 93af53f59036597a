create or replace function braid_store.candidate_places(candidates braid_store.fused_candidate[])
returns table (chunk_id bigint, place int)
language sql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  select (candidate_places.candidates[p.place]).chunk_id, p.place
  from generate_subscripts(candidate_places.candidates, 1) p (place);
$$;

comment on function braid_store.candidate_places(braid_store.fused_candidate[]) is
  'Return the ids of candidates with their places in the list, from 1.';
