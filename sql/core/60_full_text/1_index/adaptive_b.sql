create or replace function braid_store.adaptive_b(average_length float8)
returns float8
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  c_usual constant float8 := 0.75;
  c_short constant float8 := 40;
begin
  return c_usual * least(1, average_length / c_short);
end
$$;

comment on function braid_store.adaptive_b(float8) is
  'BM25''s b of a collection that was given none: 0.75, and less where chunks have fewer than 40 tokens on average. Of '
  'short chunks the longer ones say more; they are not padded.';
