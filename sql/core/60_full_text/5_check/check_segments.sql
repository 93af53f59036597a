create or replace function braid_store.check_segments(tenant_id int, collection_id int)
returns table (problem text, lexeme text, detail text)
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set jit = off
-- Postings are found by segment in the key's index, one segment at a time.
set enable_seqscan = off
set enable_bitmapscan = off
as $$
#variable_conflict use_column
declare
  v_segment braid_store.segments;
  v_chunk_ids bigint[];
  v_chunk_numbers int[];
begin
  for v_segment in
    select s.* from braid_store.segments s
    where s.tenant_id = check_segments.tenant_id and s.collection_id = check_segments.collection_id
    order by s.id
  loop
    select array_agg(c.chunk_id order by c.chunk_number), array_agg(c.chunk_number order by c.chunk_number)
    into v_chunk_ids, v_chunk_numbers
    from (
      select sc.chunk_id, sc.chunk_number from braid_store.segment_chunks sc
      where not v_segment.is_deletion and sc.tenant_id = check_segments.tenant_id
        and sc.collection_id = check_segments.collection_id and sc.segment_id = v_segment.id
      union all
      select t.chunk_id, 1 from braid_store.tombstones t
      where v_segment.is_deletion and t.segment_id = v_segment.id and t.tenant_id = check_segments.tenant_id
        and t.collection_id = check_segments.collection_id
    ) c;

    if v_segment.chunk_ids <> v_chunk_ids then
      return query select 'segment list differs', null::text,
                          format('segment %s: chunk_ids differ from segment_chunks', v_segment.id);
    end if;
    if v_segment.first_chunk_id <> v_chunk_ids[1]
       or v_segment.first_chunk_id + cardinality(v_chunk_ids) - 1 <> v_chunk_ids[cardinality(v_chunk_ids)] then
      return query select 'segment list differs', null::text,
                          format('segment %s: chunks of segment_chunks do not follow on first_chunk_id', v_segment.id);
    end if;
    v_segment.chunk_ids := null;

    return query
    select 'segment total differs', null::text,
           format('segment %s: %s is %s, its chunks give %s', v_segment.id, t.name, t.stored, t.expected)
    from (
           select coalesce(sum(cardinality(f.position_ends)), 0) as posting_count,
                  coalesce(sum(f.body_length), 0) as body_length, coalesce(sum(f.title_length), 0) as title_length
           from unnest(v_chunk_ids) u (chunk_id),
                lateral (
                  select f.* from braid_store.forward_rows f
                  where f.tenant_id = check_segments.tenant_id and f.chunk_id = u.chunk_id
                  offset 0
                ) f
         ) n,
         lateral (select case when v_segment.is_deletion then -1 else 1 end as sign) s,
         lateral (
           values
             ('chunk_count', v_segment.chunk_count, s.sign * coalesce(cardinality(v_chunk_ids), 0)),
             ('posting_count', v_segment.posting_count, n.posting_count),
             ('body_length', v_segment.body_length, s.sign * n.body_length),
             ('title_length', v_segment.title_length, s.sign * n.title_length)
         ) t (name, stored, expected)
    where t.stored <> t.expected;

    -- The correct total is used, so that a wrong one is not reported again for each list. Deletions have no average
    -- length, but posting_lists needs one.
    v_segment.chunk_count := coalesce(cardinality(v_chunk_ids), 0);
    v_segment.average_length := case when v_segment.is_deletion then 1 else v_segment.average_length end;

    return query
    select case when p.segment_id is null then 'posting list missing'
                when e.segment_id is null then 'posting list superfluous'
                else 'posting list differs' end,
           coalesce(p.lexeme, e.lexeme),
           concat_ws(': ', format('segment %s', v_segment.id), d.columns)
    from (
           select l.segment_id, l.lexeme, n.posting
           from braid_store.posting_lists(v_segment, v_chunk_ids, v_chunk_numbers) l,
                lateral (
                  -- A deletion has no lists. It has only the counts that it subtracts from the document frequencies.
                  select case when v_segment.is_deletion
                              then jsonb_populate_record(null::braid_store.postings_a, jsonb_build_object(
                                     'tenant_id', l.tenant_id, 'collection_id', l.collection_id, 'lexeme', l.lexeme,
                                     'segment_id', l.segment_id, 'document_frequency', -l.document_frequency,
                                     'posting_count', 0))
                              else l end as posting
                ) n
         ) e
    full join (
      select p.segment_id, p.lexeme, row(p.*)::braid_store.postings_a as posting
      from braid_store.postings p
      where p.tenant_id = check_segments.tenant_id and p.collection_id = check_segments.collection_id
        and p.segment_id = v_segment.id
    ) p on p.lexeme = e.lexeme
    left join lateral (
      select string_agg(c.key, ', ' order by c.key) as columns
      from jsonb_each(to_jsonb(p.posting)) c
      where c.value <> to_jsonb(e.posting) -> c.key
    ) d on p.segment_id is not null and e.segment_id is not null and p.posting is distinct from e.posting
    where p.segment_id is null or e.segment_id is null or p.posting is distinct from e.posting;
  end loop;

  return query
  select 'posting list without segment', p.lexeme, format('segment %s', p.segment_id)
  from braid_store.postings p
  where p.tenant_id = check_segments.tenant_id and p.collection_id = check_segments.collection_id
    and not exists (
      select from braid_store.segments s
      where s.tenant_id = check_segments.tenant_id and s.collection_id = check_segments.collection_id
        and s.id = p.segment_id
      offset 0);
end
$$;

comment on function braid_store.check_segments(int, int) is
  'Find segments and deletions whose totals or postings differ from what the forward rows of their chunks give. '
  'Return one row for each difference.';
