create or replace function braid_store.number_field(key text)
returns text
language sql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  -- Spelled out: to call a function of SQL would cost more than all of it.
  select format('case when abs(%1$s) < 1e-9 then 0 else least(greatest(%1$s, -1e9), 1e9) end::float8', n.number)
  from (
    select case when number_field.key in ('importance', 'token_count') then format('c.%I', number_field.key)
                -- Numbers of JSON may be too large for float8: bounded before they are cast.
                else format('(%s)::numeric', braid_store.filter_metadata_field(number_field.key)) end as number
  ) n;
$$;

comment on function braid_store.number_field(text) is
  'The SQL expression for a number of a chunk, a column''s or one of the metadata, named as in filters, where has_number '
  'holds; brought within what boosts can multiply without leaving the range of float8: 0, or 1e-9 to 1e9 on either side.';
