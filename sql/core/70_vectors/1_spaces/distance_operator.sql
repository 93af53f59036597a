create or replace function braid_store.distance_operator(distance text)
returns text
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
begin
  return format('operator(@vector@.%s)',
                case distance_operator.distance when 'cosine' then '<=>' when 'inner_product' then '<#>'
                  else '<->' end);
end
$$;

comment on function braid_store.distance_operator(text) is
  'Return pgvector''s operator, as SQL, for a distance: cosine, inner_product or l2. For inner_product the operator '
  'returns the negative inner product.';
