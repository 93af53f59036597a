create or replace function braid_store.write_merged_segment(
  tenant_id int,
  collection_id int,
  segment_ids bigint[],
  live_ids bigint[],
  body_lengths int[],
  title_lengths int[]
)
returns void
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
  v_segment_id bigint;
begin
  with inputs as materialized (
    select u.segment_id, l.chunk_numbers, sum(cardinality(l.chunk_numbers)) over (order by u.segment_id) as end_number
    from unnest(write_merged_segment.segment_ids) u (segment_id),
         lateral (
           select array_agg(sc.chunk_number order by sc.chunk_number) as chunk_numbers
           from (
             select sc.chunk_number, sc.chunk_id from braid_store.segment_chunks sc
             where sc.tenant_id = write_merged_segment.tenant_id
               and sc.collection_id = write_merged_segment.collection_id and sc.segment_id = u.segment_id
             offset 0
           ) sc
           where sc.chunk_id = any (write_merged_segment.live_ids)
         ) l
    where l.chunk_numbers is not null
  ), terms as materialized (
    select t.lexeme, t.body_frequency, t.title_frequency,
           (t.end_number - cardinality(t.chunk_numbers) + t.place)::int as new_number
    from (
      select p.*, i.chunk_numbers, i.end_number, width_bucket(p.chunk_number, i.chunk_numbers) as place
      from inputs i,
           lateral (
             select p.lexeme, unnest(p.chunk_numbers) as chunk_number, unnest(p.body_frequencies) as body_frequency,
                    unnest(p.title_frequencies) as title_frequency
             from braid_store.postings p
             where p.tenant_id = write_merged_segment.tenant_id
               and p.collection_id = write_merged_segment.collection_id and p.segment_id = i.segment_id
             offset 0
           ) p
    ) t
    where t.chunk_numbers[t.place] = t.chunk_number -- else the chunk is dead
  ), segment as (
    insert into braid_store.segments (tenant_id, collection_id, chunk_count, posting_count, body_length, title_length)
    select write_merged_segment.tenant_id, write_merged_segment.collection_id,
           cardinality(write_merged_segment.live_ids), (select count(*) from terms),
           (select sum(l) from unnest(write_merged_segment.body_lengths) l),
           (select sum(l) from unnest(write_merged_segment.title_lengths) l)
    returning id
  ), postings as (
    insert into braid_store.postings (tenant_id, collection_id, lexeme, segment_id, chunk_count, chunk_numbers,
                                      body_frequencies, title_frequencies, body_lengths, title_lengths)
    select write_merged_segment.tenant_id, write_merged_segment.collection_id, t.lexeme, t.segment_id, count(*),
           array_agg(t.new_number order by t.new_number), array_agg(t.body_frequency order by t.new_number),
           case when max(t.title_length) > 0 or max(t.title_frequency) > 0
                then array_agg(coalesce(t.title_frequency, 0) order by t.new_number) end,
           array_agg(t.body_length order by t.new_number),
           case when max(t.title_length) > 0 or max(t.title_frequency) > 0
                then array_agg(t.title_length order by t.new_number) end
    from (
      select t.*, s.id as segment_id, write_merged_segment.body_lengths[t.new_number] as body_length,
             write_merged_segment.title_lengths[t.new_number] as title_length
      from segment s, terms t
    ) t
    group by t.segment_id, t.lexeme
  )
  select s.id into v_segment_id from segment s;

  update braid_store.segment_chunks sc
  set segment_id = v_segment_id, chunk_number = l.new_number
  from unnest(write_merged_segment.live_ids) with ordinality l (chunk_id, new_number)
  where sc.tenant_id = write_merged_segment.tenant_id and sc.chunk_id = l.chunk_id;
end
$$;

comment on function braid_store.write_merged_segment(int, int, bigint[], bigint[], int[], int[]) is
  'Writes the live chunks of segments as one new segment, numbered in the order of live_ids, and points them to it.';
