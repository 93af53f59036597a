create or replace function braid_store.shown_instead(
  request braid_store.search_request,
  chunk_id bigint,
  results braid_store.search_result[],
  out shown_id bigint,
  out outcome text,
  out reason text
)
language plpgsql
stable
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  v_options braid_store.search_options := request.options;
  v_chunk record;
  v_shown_ids bigint[] := array(select r.chunk_id from unnest(results) with ordinality r (chunk_id)
    order by r.ordinality);
  v_vectors @vector@.vector[];
  v_row record;
begin
  if not v_options.is_arranged or v_shown_ids = '{}' then
    return;
  end if;
  select c.document_id, c.chunk_index, c.content into v_chunk
  from braid_store.chunks c
  where c.tenant_id = request.tenant_id and c.id = shown_instead.chunk_id;

  select r.* into v_row
  from unnest(results) r
  where r.document_id = v_chunk.document_id and v_chunk.chunk_index between r.passage_start and r.passage_end
  limit 1;
  if found then
    outcome := 'merged';
    reason := 'It is part of the passage of';
  elsif v_options.collapse then
    select r.* into v_row from unnest(results) r where r.content = v_chunk.content collate "C" limit 1;
    if found then
      outcome := 'collapsed';
      reason := 'Its text is the same as the text of';
    elsif v_options.collapse_similarity is not null then
      v_vectors := braid_store.candidate_vectors(request.tenant_id, request.collection, v_shown_ids || chunk_id);
      select r.* into v_row
      from generate_subscripts(v_shown_ids, 1) p (place), lateral unnest(results[p.place:p.place]) r
      where v_vectors[p.place] operator(@vector@.<=>) v_vectors[cardinality(v_vectors)]
            <= 1 - v_options.collapse_similarity
      order by p.place
      limit 1;
      if found then
        outcome := 'collapsed';
        reason := 'Its vector is very similar to the vector of';
      end if;
    end if;
  end if;
  if outcome is null and v_options.group_by is not null
     and not cardinality(v_shown_ids) + 1 = any ((
       braid_store.group_candidates(
         request.tenant_id, v_shown_ids || chunk_id,
         array(select -p::float8 from generate_series(1, cardinality(v_shown_ids) + 1) p),
         v_options.group_by, v_options.group_size, 'max')).places) then
    outcome := 'grouped';
    reason := format('Of its group (%s), only the best %s chunks are shown.', v_options.group_by, v_options.group_size);
  elsif outcome is not null then
    shown_id := v_row.chunk_id;
    reason := format('%s "%s", chunk %s.', reason, left(v_row.external_id, 255), v_row.chunk_index);
  end if;
end
$$;

comment on function braid_store.shown_instead(braid_store.search_request, bigint, braid_store.search_result[]) is
  'Explain why a candidate with a sufficient score is not among the rows of a search. It was merged into a passage, '
  'collapsed into another row, or other chunks are shown for its group. shown_id: the chunk that is shown in its '
  'place, if there is one. All columns are null if none of these is the case.';
