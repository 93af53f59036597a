create or replace function braid_store.matching_chunk_ids(
  tenant_id int,
  collection_id int,
  filter text,
  source text,
  max_count int
)
returns bigint[]
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set jit = off
as $$
declare
  v_chunk_ids bigint[];
begin
  execute case
    when matching_chunk_ids.source is null then format($query$
      select array(
        select c.id from braid_store.chunks c where c.tenant_id = $1 and c.collection_id = $2 and (%s) limit $3)
      $query$, matching_chunk_ids.filter)
    else format($query$
      select array(
        select c.id
        from (%s) s (chunk_id),
             lateral (
               select c.id, c.collection_id from braid_store.chunks c
               where c.tenant_id = $1 and c.id = s.chunk_id and (%s)
               offset 0
             ) c
        -- Not with the key: an index that begins with the collection would look as good.
        where c.collection_id = $2
        limit $3)
      $query$, matching_chunk_ids.source, matching_chunk_ids.filter)
    end
  into v_chunk_ids
  using matching_chunk_ids.tenant_id, matching_chunk_ids.collection_id, matching_chunk_ids.max_count + 1::bigint;
  return v_chunk_ids;
end
$$;

comment on function braid_store.matching_chunk_ids(int, int, text, text, int) is
  'The chunks that a filter matches, in no order and no more than max_count + 1 of them: with more than max_count there '
  'are others. filter is what braid_store.filter_predicate gives, source what braid_store.filter_source gives: a query '
  'of an index for the ids, each once, among which all matches are; null to look at every chunk.';
