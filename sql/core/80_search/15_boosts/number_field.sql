create or replace function braid_store.number_field(key text)
returns text
language sql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  -- The expression is written out, because a call of an SQL function would cost more.
  select format('case when abs(%1$s) < 1e-9 then 0 else least(greatest(%1$s, -1e9), 1e9) end::float8', n.number)
  from (
    select case when number_field.key in ('importance', 'token_count') then format('c.%I', number_field.key)
                -- JSON numbers may be too large for float8, so the bounds are applied before the cast.
                else format('(%s)::numeric', braid_store.filter_metadata_field(number_field.key)) end as number
  ) n;
$$;

comment on function braid_store.number_field(text) is
  'Return the SQL expression for a chunk''s number under a key: a column or a metadata key, named as in filters. '
  'has_number must be true for the chunk. The number is limited to 0 or 1e-9 to 1e9 with either sign, so that the '
  'product of boosts stays in the range of float8.';
