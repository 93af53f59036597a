create or replace function braid_store.named_chunks(
  request braid_store.search_request,
  leg_candidates braid_store.found_candidates,
  out chunk_ids bigint[],
  out document_ids bigint[],
  out added braid_store.candidate[]
)
language plpgsql
stable
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set jit = off
-- Without sorting, the planner must use the primary key for the ordered look-ups below. On a small table, other indexes
-- that begin with the tenant seem as cheap, but each look-up would read all of the tenant's rows.
set enable_seqscan = off
set enable_bitmapscan = off
set enable_sort = off
as $$
declare
  c_most constant int := 1000;
  v_key text := braid_store.name_key(request.query_text);
  v_query braid_store.text_query := request.query;
  v_whole_ids bigint[]; -- chunks of documents that the whole query names
  v_kept_ids bigint[];
  v_added_ids bigint[];
begin
  select array_agg(c.id), array_agg(d.id), coalesce(array_agg(c.id) filter (where d.is_whole), '{}')
  into chunk_ids, document_ids, v_whole_ids
  from (
    select d.id, v_key in (braid_store.name_key(d.title), braid_store.name_key(d.external_id)) as is_whole
    from unnest(request.named_ids) n (id),
         lateral (
           select d.id, d.title, d.external_id from braid_store.documents d
           where d.tenant_id = request.tenant_id and d.id between n.id and n.id
           order by d.id
           offset 0
         ) d
    offset 0
  ) d,
       lateral (
         select c.id from braid_store.chunks c
         where c.tenant_id = request.tenant_id and c.document_id between d.id and d.id
         order by c.document_id, c.chunk_index
         limit c_most
       ) c;
  v_kept_ids := chunk_ids;
  if not (leg_candidates.filter).is_empty then
    v_kept_ids := braid_store.filtered_among(v_kept_ids, request.tenant_id, leg_candidates.filter);
  end if;
  -- A name needs no further words of the query, but a query that says more than a name may demand or exclude some.
  if cardinality(v_query.conditions) > 0 or v_query.required_words > 1 then
    v_kept_ids := array(
      select u from unnest(v_kept_ids) u
      where u = any (v_whole_ids)
            or u = any (braid_store.demanded_chunks(request.tenant_id, request.collection, v_kept_ids, v_query)));
  end if;
  select array_agg(u.chunk_id), array_agg(u.document_id) into chunk_ids, document_ids
  from unnest(chunk_ids, document_ids) u (chunk_id, document_id)
  where u.chunk_id = any (v_kept_ids);

  -- If pages continue beyond the candidates, all chunks of a document are added, so that its best one is the same on
  -- all pages.
  v_added_ids := array(
    select u.chunk_id
    from (
      select u.chunk_id, f.chunk_id is null as is_new, row_number() over document as number,
             bool_or(f.chunk_id is not null) over (partition by u.document_id) as is_found
      from unnest(chunk_ids, document_ids) with ordinality u (chunk_id, document_id, place)
      left join (
        select f.chunk_id from unnest(leg_candidates.full_text) f
        union
        select s.chunk_id from unnest(leg_candidates.semantic) s
        union
        select p.chunk_id from unnest(leg_candidates.sparse) p
      ) f on f.chunk_id = u.chunk_id
      window document as (partition by u.document_id order by u.place)
    ) u
    where case when request.has_deep_pages then u.is_new else not u.is_found and u.number = 1 end);
  added := array(
    select row(u.chunk_id, coalesce(u.score, 0), null)::braid_store.candidate
    from unnest(v_added_ids, braid_store.exact_scores(request.tenant_id, request.collection, v_added_ids, v_query))
           u (chunk_id, score));
end
$$;

comment on function braid_store.named_chunks(braid_store.search_request, braid_store.found_candidates) is
  'Return the chunks of the documents that a query names, if they pass the filter and meet the demands of the query, '
  'with their documents. added: the first chunk of each document of which no leg found a chunk, as a candidate of full '
  'text without a rank. At most the first 1000 chunks of a document count.';
