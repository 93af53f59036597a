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
  'Return BM25''s b for a collection that sets none: 0.75, or less if chunks have fewer than 40 tokens on average. '
  'Among short chunks, a longer one carries more information and is not padded.';
