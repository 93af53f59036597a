create or replace function braid_store.write_deletion(tenant_id int, collection_id int, chunk_ids bigint[])
returns bigint
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set jit = off
as $$
#variable_conflict use_column
declare
  v_segment_id bigint;
begin
  with chunks as materialized (
    select f.*
    from unnest(write_deletion.chunk_ids) u (chunk_id),
         lateral (
           select f.* from braid_store.forward_rows f
           where f.tenant_id = write_deletion.tenant_id and f.chunk_id = u.chunk_id
           offset 0
         ) f
  ), occurrences as (
    select unnest(string_to_array(c.lexemes, ' ')) as lexeme, unnest(c.position_ends) as position_end,
           unnest('{0}' || c.position_ends) as position_begin, unnest(c.title_frequencies) as title_frequency,
           c.is_first_chunk
    from chunks c
  ), lexemes as materialized (
    select o.lexeme, count(*)::int as posting_count,
           (count(*) filter (where o.is_first_chunk
                             or o.position_end - o.position_begin > coalesce(o.title_frequency, 0)))::int
             as document_frequency
    from occurrences o
    where o.lexeme is not null
    group by o.lexeme
  ), deletion as (
    insert into braid_store.segments (tenant_id, collection_id, is_deletion, chunk_count, posting_count, body_length,
                                      title_length, k1, b, title_weight, average_length)
    select write_deletion.tenant_id, write_deletion.collection_id, true, -count(*),
           (select coalesce(sum(l.posting_count), 0) from lexemes l), -sum(c.body_length), -sum(c.title_length), 0, 0,
             0, 0
    from chunks c
    returning id
  ), postings as (
    select d.id as segment_id, l.lexeme, -l.document_frequency as document_frequency
    from deletion d, lexemes l
  ), written_a as (
    insert into braid_store.postings_a (tenant_id, collection_id, lexeme, segment_id, document_frequency, posting_count)
    select write_deletion.tenant_id, write_deletion.collection_id, p.lexeme, p.segment_id, p.document_frequency, 0
    from postings p
    where (select t.active from braid_store.posting_tables t) = 'a'
  ), written_b as (
    insert into braid_store.postings_b (tenant_id, collection_id, lexeme, segment_id, document_frequency, posting_count)
    select write_deletion.tenant_id, write_deletion.collection_id, p.lexeme, p.segment_id, p.document_frequency, 0
    from postings p
    where (select t.active from braid_store.posting_tables t) = 'b'
  )
  select d.id into v_segment_id from deletion d;
  return v_segment_id;
end
$$;

comment on function braid_store.write_deletion(int, int, bigint[]) is
  'Write a deletion, which is a segment with negative counts that subtracts deleted chunks from the statistics. '
  'Return its id. The chunks stay in their segments until a merge; the caller writes tombstones, which hide them.';
