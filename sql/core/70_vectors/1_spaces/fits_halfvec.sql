create or replace function braid_store.fits_halfvec(distance text, embedding text)
returns text
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
begin
  -- halfvec holds numbers up to 65504, which leaves a margin for queries away from the vectors. Below 0.00006 it loses
  -- digits, which matters only for cosine, where short vectors count as much as long ones.
  return format('@vector@.vector_norm(%s) between %s and 20000', embedding,
                case fits_halfvec.distance when 'cosine' then 0.01 else 0 end);
end
$$;

comment on function braid_store.fits_halfvec(text, text) is
  'Return an SQL condition on a vector (embedding, an SQL expression) that holds if an index over halfvec can store '
  'it and compare it precisely.';
