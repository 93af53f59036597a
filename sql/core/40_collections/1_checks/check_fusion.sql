create or replace function braid_store.check_fusion(fusion text)
returns void
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
begin
  if check_fusion.fusion is null or check_fusion.fusion not in ('rrf', 'convex', 'dbsf', 'max') then
    raise exception 'fusion is %', coalesce('''' || left(check_fusion.fusion, 255) || '''', 'null')
      using errcode = '22023', hint = 'Use rrf, convex, dbsf or max.';
  end if;
end
$$;

comment on function braid_store.check_fusion(text) is
  'Raises 22023 for an unknown fusion.';
