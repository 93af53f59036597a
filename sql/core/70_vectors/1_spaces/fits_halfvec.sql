create or replace function braid_store.fits_halfvec(distance text, embedding text)
returns text
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
begin
  -- halfvec holds numbers up to 65504. The limit 20000 leaves a margin for queries that are longer than the vectors.
  -- Numbers below 0.00006 lose digits. That matters only for cosine, where short vectors count as much as long ones.
  return format('@vector@.vector_norm(%s) between %s and 20000', embedding,
                case fits_halfvec.distance when 'cosine' then 0.01 else 0 end);
end
$$;

comment on function braid_store.fits_halfvec(text, text) is
  'Return an SQL condition that is true for vectors that an index over halfvec can store and compare precisely. '
  'embedding: an SQL expression for the vector.';
