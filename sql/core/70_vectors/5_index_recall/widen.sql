create or replace function braid_store.widen(
  width int,
  margin float8,
  out ef_search int,
  out ef_search_fused int
)
language sql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  select least(1000, greatest(ceil(widen.margin * widen.width), n.narrowest))::int,
         least(1000, greatest(widen.width, n.narrowest))
  from (select case when widen.margin > 1 then 64 else 1 end as narrowest) n
  where widen.width is not null;
$$;

comment on function braid_store.widen(int, float8) is
  'Return the widths of searches by vectors alone and of searches that full text joins, for a width that is enough for '
  'sample queries. With a margin, both are at least 64. Return null without a width.';
