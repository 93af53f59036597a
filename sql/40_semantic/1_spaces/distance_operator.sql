create or replace function braid_store.distance_operator(distance text)
returns text
language sql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  select format('operator(@vector@.%s)',
                case distance_operator.distance when 'cosine' then '<=>' when 'inner_product' then '<#>' else '<->' end);
$$;

comment on function braid_store.distance_operator(text) is
  'pgvector''s operator of a vector space''s distance, as SQL. That of the inner product is its negative.';
