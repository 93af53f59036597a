create or replace function braid_store.check_decompounding(collection braid_store.collections)
returns void
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
begin
  if collection.parts ->> 'decompounding' not in ('auto', 'off') then
    raise exception 'ranking: decompounding is "%"', left(collection.parts ->> 'decompounding', 100)
      using errcode = '22023', hint = 'Use auto or off.';
  end if;
end
$$;

comment on function braid_store.check_decompounding(braid_store.collections) is
  'Raise 22023 if a collection''s decompounding is neither auto nor off.';
