create or replace function braid_store.check_normalisation(normalisation text)
returns void
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
begin
  if check_normalisation.normalisation is null
     or check_normalisation.normalisation not in ('minmax', 'theoretical', 'centroid', 'zscore', 'saturate', 'none') then
    raise exception 'normalisation is %', coalesce('''' || left(check_normalisation.normalisation, 255) || '''', 'null')
      using errcode = '22023', hint = 'Use minmax, theoretical, centroid, zscore, saturate or none.';
  end if;
end
$$;

comment on function braid_store.check_normalisation(text) is 'Raises 22023 for an unknown normalisation.';
