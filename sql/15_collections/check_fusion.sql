create or replace function braid_store.check_fusion(fusion text)
returns void
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
begin
  if check_fusion.fusion in ('convex', 'dbsf', 'max') then
    raise exception 'fusion ''%'' is not supported by this version', check_fusion.fusion
      using errcode = '0A000', hint = 'Use rrf.';
  elsif check_fusion.fusion is distinct from 'rrf' then
    raise exception 'fusion is %', coalesce('''' || left(check_fusion.fusion, 255) || '''', 'null')
      using errcode = '22023', hint = 'Use rrf.';
  end if;
end
$$;

comment on function braid_store.check_fusion(text) is
  'Raises 22023 for an unknown fusion, and 0A000 for one that a later version brings.';
