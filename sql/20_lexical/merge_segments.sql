create or replace function braid_store.merge_segments(tenant_id int, collection_id int, segment_ids bigint[])
returns int
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set jit = off
as $$
#variable_conflict use_column
declare
  v_segment_ids bigint[];
begin
  -- In READ COMMITTED the next statement sees all that was committed before these locks were taken. Under a snapshot
  -- of the transaction, deleting what another merge has touched would raise 40001.
  if current_setting('transaction_isolation') <> 'read committed' then
    return 0;
  end if;
  select array_agg(s.id) into v_segment_ids
  from (
    select s.id
    from braid_store.segments s
    where s.tenant_id = merge_segments.tenant_id and s.collection_id = merge_segments.collection_id
      and s.id = any (merge_segments.segment_ids)
    order by s.id
    for update skip locked
  ) s;
  if v_segment_ids is null then
    return 0;
  end if;

  -- One statement, one snapshot: a chunk is dropped if this sees its tombstone, and only such tombstones go. The
  -- tombstone of a delete that commits meanwhile stays, and finds the chunk in the new segment.
  with inputs as materialized (
    select sc.segment_id, sc.chunk_number, sc.chunk_id, sc.body_length, sc.title_length, t.chunk_id is null as is_live,
           (row_number() over (partition by t.chunk_id is null order by sc.segment_id, sc.chunk_number))::int
             as new_number
    from braid_store.segment_chunks sc
    left join braid_store.tombstones t
      on t.tenant_id = sc.tenant_id and t.collection_id = sc.collection_id and t.chunk_id = sc.chunk_id
    where sc.tenant_id = merge_segments.tenant_id and sc.collection_id = merge_segments.collection_id
      and sc.segment_id = any (v_segment_ids)
  ), terms as materialized (
    select p.lexeme, i.new_number, p.body_frequency, p.title_frequency, i.body_length, i.title_length
    from (
      select p.lexeme, p.segment_id, unnest(p.chunk_numbers) as chunk_number,
             unnest(p.body_frequencies) as body_frequency, unnest(p.title_frequencies) as title_frequency
      from braid_store.postings p
      where p.tenant_id = merge_segments.tenant_id and p.collection_id = merge_segments.collection_id
        and p.segment_id = any (v_segment_ids)
    ) p
    join inputs i on i.segment_id = p.segment_id and i.chunk_number = p.chunk_number
    where i.is_live
  ), segment as (
    insert into braid_store.segments (tenant_id, collection_id, chunk_count, posting_count, body_length, title_length)
    select merge_segments.tenant_id, merge_segments.collection_id, count(*), (select count(*) from terms),
           sum(i.body_length), sum(i.title_length)
    from inputs i
    where i.is_live
    having count(*) > 0
    returning id
  ), new_postings as (
    insert into braid_store.postings (tenant_id, collection_id, lexeme, segment_id, chunk_count, chunk_numbers,
                                      body_frequencies, title_frequencies, body_lengths, title_lengths)
    select merge_segments.tenant_id, merge_segments.collection_id, t.lexeme, s.id, count(*),
           array_agg(t.new_number order by t.new_number),
           array_agg(t.body_frequency order by t.new_number),
           case when max(t.title_length) > 0 or max(t.title_frequency) > 0
                then array_agg(coalesce(t.title_frequency, 0) order by t.new_number) end,
           array_agg(t.body_length order by t.new_number),
           case when max(t.title_length) > 0 or max(t.title_frequency) > 0
                then array_agg(t.title_length order by t.new_number) end
    from segment s, terms t
    group by s.id, t.lexeme
  ), old_segment_chunks as (
    delete from braid_store.segment_chunks sc
    using inputs i
    where sc.tenant_id = merge_segments.tenant_id and sc.collection_id = merge_segments.collection_id
      and sc.segment_id = i.segment_id and sc.chunk_number = i.chunk_number and not i.is_live
  ), moved_segment_chunks as (
    update braid_store.segment_chunks sc
    set segment_id = s.id, chunk_number = i.new_number
    from inputs i, segment s
    where sc.tenant_id = merge_segments.tenant_id and sc.collection_id = merge_segments.collection_id
      and sc.segment_id = i.segment_id and sc.chunk_number = i.chunk_number and i.is_live
  ), old_postings as (
    delete from braid_store.postings p
    where p.tenant_id = merge_segments.tenant_id and p.collection_id = merge_segments.collection_id
      and p.segment_id = any (v_segment_ids)
  ), old_segments as (
    delete from braid_store.segments s
    where s.tenant_id = merge_segments.tenant_id and s.collection_id = merge_segments.collection_id
      and s.id = any (v_segment_ids)
  ), old_tombstones as (
    delete from braid_store.tombstones t
    using inputs i
    where t.tenant_id = merge_segments.tenant_id and t.collection_id = merge_segments.collection_id
      and t.chunk_id = i.chunk_id and not i.is_live
  )
  delete from braid_store.tombstone_terms t
  using inputs i
  where t.tenant_id = merge_segments.tenant_id and t.collection_id = merge_segments.collection_id
    and t.chunk_id = i.chunk_id and not i.is_live;

  return cardinality(v_segment_ids);
end
$$;

comment on function braid_store.merge_segments(int, int, bigint[]) is
  'Joins those of the given segments that nobody else is merging into one, dropping the chunks that are deleted. '
  'Returns how many it joined.';
