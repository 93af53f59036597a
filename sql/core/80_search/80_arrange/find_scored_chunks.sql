create or replace function braid_store.find_scored_chunks(
  tenant_id int,
  collection braid_store.collections,
  chunk_ids bigint[],
  scores float8[],
  is_whole boolean
)
returns int[]
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set jit = off
-- Without sorting, the planner must use the primary key for the ordered look-ups below. On a small table, other indexes
-- that begin with the tenant seem as cheap, but each look-up would read all of the tenant's rows.
set enable_sort = off
set enable_bitmapscan = off
as $$
declare
  c_most constant int := 100000;
  v_wrong bigint;
  v_places int[];
begin
  if array_ndims(chunk_ids) > 1 or array_ndims(scores) > 1
     or cardinality(chunk_ids) is distinct from cardinality(scores) then
    raise exception 'chunk_ids has % elements, scores has %', coalesce(cardinality(chunk_ids)::text, 'null'),
                    coalesce(cardinality(scores)::text, 'null')
      using errcode = '22023', hint = 'Give two lists of the same length: a score for each chunk.';
  elsif cardinality(chunk_ids) > c_most then
    raise exception 'chunk_ids has % elements', cardinality(chunk_ids)
      using errcode = '22023', hint = format('Give at most %s.', c_most);
  elsif array_position(chunk_ids, null) is not null or array_position(scores, null) is not null then
    raise exception '% has a null', case when array_position(scores, null) is null then 'chunk_ids' else 'scores' end
      using errcode = '22023', hint = 'Give an id and a score for each chunk, and leave out chunks without a score.';
  elsif 'NaN' = any (scores) then
    raise exception 'score NaN of chunk %', chunk_ids[array_position(scores, 'NaN')]
      using errcode = '22023', hint = 'Give numbers.';
  end if;

  select u.chunk_id into v_wrong from unnest(chunk_ids) u (chunk_id) group by u.chunk_id having count(*) > 1 limit 1;
  if found then
    raise exception 'chunk % is given more than once', v_wrong
      using errcode = '22023', hint = 'Give every chunk once, with one score.';
  end if;
  v_places := array(
    select u.place::int
    from unnest(chunk_ids) with ordinality u (chunk_id, place),
         lateral (
           select c.collection_id, c.document_id from braid_store.chunks c
           where c.tenant_id = find_scored_chunks.tenant_id and c.id between u.chunk_id and u.chunk_id
           order by c.id
           offset 0
         ) c
    -- The collection is tested outside the subquery. Inside, an index that begins with the collection would seem as
    -- cheap as the primary key.
    where c.collection_id = collection.id
      and (collection.parts is null or exists (
        select
        from (
          select d from braid_store.documents d
          where d.tenant_id = find_scored_chunks.tenant_id and d.id between c.document_id and c.document_id
          order by d.id
          offset 0
        ) o (document)
        where braid_store.extend_hidden_document(o.document, find_scored_chunks.collection) is not true))
    order by u.place);
  if cardinality(v_places) < cardinality(chunk_ids) and (is_whole or v_places = '{}') then
    select u.chunk_id into v_wrong
    from unnest(chunk_ids) with ordinality u (chunk_id, place)
    where v_places[u.place] is distinct from u.place
    order by u.place
    limit 1;
    raise exception 'chunk % does not exist in collection "%"', v_wrong, collection.name
      using errcode = '42704',
            hint = 'Take chunk_id from a search''s rows; a document that is written again gets new chunks.';
  end if;
  return v_places;
end
$$;

comment on function braid_store.find_scored_chunks(int, braid_store.collections, bigint[], float8[], boolean) is
  'Return the places of the chunks that are in the collection. Raise 22023 if chunk_ids and scores do not fit '
  'together. Raise 42704 if none of the chunks exists or, with is_whole, if one does not exist.';
