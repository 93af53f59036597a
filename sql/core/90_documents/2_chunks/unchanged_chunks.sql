create or replace function braid_store.unchanged_chunks(
  tenant_id int,
  collection braid_store.collections,
  chunk_ids bigint[],
  previous braid_store.previous_chunk[]
)
returns bigint[]
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
begin
  return array(
    select u.previous_id
    from (
      -- A window function is used because the planner, without statistics, might run a join as a nested loop over both
      -- lists. If a document has the same text several times, take the first chunk, because workers embed it first.
      select a.place,
             min(a.previous_id) over (partition by a.document_id, a.input_hash) as previous_id
      from (
        select null::bigint as place, p.chunk_id as previous_id, p.document_id, p.input_hash
        from unnest(unchanged_chunks.previous) p
        union all
        select u.place, null, k.document_id,
               sha256(convert_to(
                 braid_store.embedding_input(unchanged_chunks.collection, d.title, k.speaker, k.content), 'UTF8'))
        from unnest(unchanged_chunks.chunk_ids) with ordinality u (chunk_id, place),
             lateral (
               select k.document_id, k.speaker, k.content from braid_store.chunks k
               where k.tenant_id = unchanged_chunks.tenant_id and k.id between u.chunk_id and u.chunk_id
               order by k.id
               offset 0
             ) k,
             lateral (
               select d.title from braid_store.documents d
               where d.tenant_id = unchanged_chunks.tenant_id and d.id between k.document_id and k.document_id
               order by d.id
               offset 0
             ) d
      ) a
    ) u
    where u.place is not null
    order by u.place);
end
$$;

comment on function braid_store.unchanged_chunks(int, braid_store.collections, bigint[], braid_store.previous_chunk[])
                                                 is
  'Return for each new chunk, in order, a previous chunk of its document for which the model got the same text; null '
  'if there is none.';
