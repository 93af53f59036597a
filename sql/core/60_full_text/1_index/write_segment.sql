create or replace function braid_store.write_segment(
  tenant_id int,
  collection braid_store.collections,
  chunk_ids bigint[]
)
returns bigint
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
-- With sequential scans allowed, a plan cached while the tables were small would scan them whole for each key, until
-- the session ends.
set enable_seqscan = off
set jit = off
set work_mem = '64MB'
as $$
#variable_conflict use_column
declare
  v_collection_id int := write_segment.collection.id;
  -- Smaller segments store no list of chunks, because looking up a chunk by the key of segment_chunks is as fast.
  c_least_listed constant int := 2048;
  v_active text;
  v_segment braid_store.segments;
  v_chunk_numbers int[];
begin
  if v_collection_id < 0 then
    insert into braid_store.segments (tenant_id, collection_id, is_deletion, chunk_count, posting_count, body_length,
                                      title_length, k1, b, title_weight, average_length, max_weight)
    select write_segment.tenant_id, v_collection_id, false, cardinality(write_segment.chunk_ids), 0, 0, 0, 0, 0, 0, 0,
           n.max_weight
    from (
      select max(w.weight) as max_weight
      from unnest(write_segment.chunk_ids) u (chunk_id),
           lateral (
             select unnest(r.weights) as weight from braid_store.sparse_rows r
             where r.tenant_id = write_segment.tenant_id and r.collection_id = -v_collection_id
               and r.chunk_id = u.chunk_id
             offset 0
           ) w
    ) n
    where n.max_weight is not null
    returning * into v_segment;
    if v_segment.id is null then
      return null;
    end if;
  else
    insert into braid_store.segments (tenant_id, collection_id, is_deletion, chunk_count, posting_count, body_length,
                                      title_length, k1, b, title_weight, average_length, chunk_ids,
                                      first_chunk_id)
    select write_segment.tenant_id, v_collection_id, false, n.chunk_count, n.posting_count, n.body_length,
           n.title_length,
           write_segment.collection.k1,
           coalesce(write_segment.collection.b, braid_store.adaptive_b(a.average_length)),
           write_segment.collection.title_weight, a.average_length,
           case when f.first_chunk_id is null and n.chunk_count >= c_least_listed then write_segment.chunk_ids end,
           f.first_chunk_id
    from (
      select count(*) as chunk_count, sum(cardinality(f.position_ends)) as posting_count,
             sum(f.body_length) as body_length, sum(f.title_length) as title_length
      from unnest(write_segment.chunk_ids) u (chunk_id),
           lateral (
             select f.* from braid_store.forward_rows f
             where f.tenant_id = write_segment.tenant_id and f.chunk_id = u.chunk_id
             offset 0
           ) f
    ) n,
    lateral (
      select braid_store.average_length(write_segment.tenant_id, write_segment.collection, n.chunk_count,
                                        n.body_length + write_segment.collection.title_weight * n.title_length)
               as average_length
      offset 0
    ) a,
    lateral (
      select case when write_segment.chunk_ids[n.chunk_count] - write_segment.chunk_ids[1] = n.chunk_count - 1
                  then write_segment.chunk_ids[1] end as first_chunk_id
      offset 0
    ) f
    returning * into v_segment;
    v_segment.chunk_ids := null;
  end if;

  insert into braid_store.segment_chunks (tenant_id, collection_id, segment_id, chunk_number, chunk_id)
  select write_segment.tenant_id, v_collection_id, v_segment.id, u.chunk_number, u.chunk_id
  from unnest(write_segment.chunk_ids) with ordinality u (chunk_id, chunk_number);

  select t.active, array(select generate_series(1, cardinality(write_segment.chunk_ids)))
  into v_active, v_chunk_numbers
  from braid_store.posting_tables t;
  if v_collection_id < 0 then
    -- The segment names exactly the terms whose lists this statement writes. The list of any other term would never be
    -- deleted, and another session may have stored a new term since the statements above.
    with lists as materialized (
      select p.* from braid_store.posting_lists(v_segment, write_segment.chunk_ids, v_chunk_numbers) p
    ), written_a as (
      insert into braid_store.postings_a select l.* from lists l where v_active = 'a' order by l.lexeme
    ), written_b as (
      insert into braid_store.postings_b select l.* from lists l where v_active = 'b' order by l.lexeme
    )
    update braid_store.segments s
    set posting_count = l.posting_count, terms = l.terms
    from (
      select coalesce(sum(l.posting_count), 0) as posting_count, coalesce(string_agg(l.lexeme, E'\n'), '') as terms
      from lists l
    ) l
    where s.tenant_id = v_segment.tenant_id and s.collection_id = v_collection_id and s.id = v_segment.id;
  elsif v_active = 'a' then
    insert into braid_store.postings_a
    select p.* from braid_store.posting_lists(v_segment, write_segment.chunk_ids, v_chunk_numbers) p
    order by p.lexeme;
  else
    insert into braid_store.postings_b
    select p.* from braid_store.posting_lists(v_segment, write_segment.chunk_ids, v_chunk_numbers) p
    order by p.lexeme;
  end if;
  return v_segment.id;
end
$$;

comment on function braid_store.write_segment(int, braid_store.collections, bigint[]) is
  'Write a segment with the given chunks and its postings, and return its id. The segment numbers its chunks from 1 '
  'in the order of chunk_ids, which must be ascending. The chunks must have forward rows already. A collection''s id '
  'negated means a segment of sparse terms; the result is null if no chunk has any.';
