create or replace function braid_store.extend_reported_terms_permissions(
  inout stats jsonb,
  request braid_store.search_request
)
language plpgsql
stable
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
begin
  if ((request.collection).parts -> 'permissions')::boolean is not true or braid_calls.sees_all() then
    return;
  end if;
  -- The order of the words tells which of them the index has, prefixes stand here if it has words for them, and the
  -- rest tells of hidden chunks, too.
  stats := stats - '{postings,segments,postings_read,chunks_scored,statistics_scope,scope_chunks}'::text[]
    || jsonb_build_object('terms', (
      select coalesce(jsonb_agg(t order by t collate "C"), '[]') from unnest((request.query).terms) t
      where t not like '%*'));
  if stats ? 'term_statistics' then
    stats := stats || jsonb_build_object('expanded', '{}'::jsonb, 'term_statistics', (
      select coalesce(jsonb_agg(jsonb_build_object('term', t.value) order by t.ordinality), '[]')
      from jsonb_array_elements(stats -> 'terms') with ordinality t));
  end if;
end
$$;

comment on function braid_store.extend_reported_terms_permissions(jsonb, braid_store.search_request) is
  'Report the words of a query, sorted and without numbers or the words that prefixes stand for, to a session that '
  'does not read all.';
