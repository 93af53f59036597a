create or replace function braid_store.index_chunks(
  tenant_id int,
  collection braid_store.collections,
  chunk_ids bigint[]
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
  v_collection_id int := index_chunks.collection.id;
  v_chunk_ids bigint[];
  v_titles text[];
  v_bodies text[];
begin
  -- A chunk's place in these arrays is its number in the new segment, from 1.
  select array_agg(c.id order by c.id),
         array_agg(case when 'title' = any (index_chunks.collection.index_fields) then d.title end order by c.id),
         array_agg(concat_ws(E'\n', case when 'speaker' = any (index_chunks.collection.index_fields) then c.speaker end,
                             c.content) order by c.id)
  into v_chunk_ids, v_titles, v_bodies
  from unnest(index_chunks.chunk_ids) u (chunk_id),
       -- Laterals with offset 0 look up by key. Without statistics (they would leak) the planner cannot tell that all
       -- chunks of a tenant are more than one.
       lateral (
         select c.* from braid_store.chunks c where c.tenant_id = index_chunks.tenant_id and c.id = u.chunk_id offset 0
       ) c,
       lateral (
         select d.title from braid_store.documents d
         where d.tenant_id = index_chunks.tenant_id and d.id = c.document_id
         offset 0
       ) d;

  if v_chunk_ids is null then
    return;
  end if;

  with title_tokens as materialized (
    select t.text_number, t.position, t.lexeme, t.kind
    from braid_store.tokenize(v_titles, index_chunks.collection.text_config,
                              index_chunks.collection.fold_diacritics) t
  ), body_tokens as materialized (
    select t.text_number, t.position, t.lexeme, t.kind
    from braid_store.tokenize(v_bodies, index_chunks.collection.text_config,
                              index_chunks.collection.fold_diacritics) t
  ), title_end as (
    -- Body positions begin well behind the title, so that no phrase spans both.
    select t.text_number, max(t.position) + 10 as position from title_tokens t group by t.text_number
  ), tokens as (
    select t.text_number, t.lexeme, t.position, true as in_title from title_tokens t
    union all
    select t.text_number, t.lexeme, t.position + coalesce(e.position, 0), false
    from body_tokens t left join title_end e on e.text_number = t.text_number
  ), terms as materialized (
    select t.text_number, t.lexeme,
           count(*) filter (where not t.in_title)::int as body_frequency,
           count(*) filter (where t.in_title)::int as title_frequency
    from tokens t
    group by t.text_number, t.lexeme
  ), chunk_lengths as materialized (
    select n.text_number, v_chunk_ids[n.text_number] as chunk_id,
           coalesce(body.length, 0) as body_length, coalesce(title.length, 0) as title_length
    from generate_subscripts(v_chunk_ids, 1) n (text_number)
    left join (
      select t.text_number, count(distinct t.position)::int as length
      from body_tokens t where t.kind <> 'stop_word' group by t.text_number
    ) body on body.text_number = n.text_number
    left join (
      select t.text_number, count(distinct t.position)::int as length
      from title_tokens t where t.kind <> 'stop_word' group by t.text_number
    ) title on title.text_number = n.text_number
  ), segment as (
    insert into braid_store.segments (tenant_id, collection_id, chunk_count, posting_count, body_length, title_length)
    select index_chunks.tenant_id, v_collection_id, count(*), (select count(*) from terms), sum(l.body_length),
           sum(l.title_length)
    from chunk_lengths l
    returning id
  ), segment_chunks as (
    insert into braid_store.segment_chunks (tenant_id, collection_id, segment_id, chunk_number, chunk_id, body_length,
                                            title_length)
    select index_chunks.tenant_id, v_collection_id, s.id, l.text_number, l.chunk_id, l.body_length, l.title_length
    from segment s, chunk_lengths l
  ), forward_rows as (
    insert into braid_store.forward_rows (tenant_id, collection_id, chunk_id, lexemes, body_frequencies,
                                          title_frequencies, positions)
    select index_chunks.tenant_id, v_collection_id, v_chunk_ids[f.text_number], f.lexemes, f.body_frequencies,
           f.title_frequencies, p.positions
    from (
      select t.text_number, array_agg(t.lexeme order by t.lexeme) as lexemes,
             array_agg(t.body_frequency order by t.lexeme) as body_frequencies,
             array_agg(t.title_frequency order by t.lexeme) as title_frequencies
      from terms t
      group by t.text_number
    ) f
    join (
      select t.text_number, array_agg(t.position order by t.lexeme, t.position) as positions
      from tokens t
      group by t.text_number
    ) p on p.text_number = f.text_number
  )
  insert into braid_store.postings (tenant_id, collection_id, lexeme, segment_id, chunk_count, chunk_numbers,
                                    body_frequencies, title_frequencies, body_lengths, title_lengths)
  select index_chunks.tenant_id, v_collection_id, t.lexeme, s.id, count(*),
         array_agg(t.text_number order by t.text_number),
         array_agg(t.body_frequency order by t.text_number),
         case when max(l.title_length) > 0 or max(t.title_frequency) > 0
              then array_agg(t.title_frequency order by t.text_number) end,
         array_agg(l.body_length order by t.text_number),
         case when max(l.title_length) > 0 or max(t.title_frequency) > 0
              then array_agg(l.title_length order by t.text_number) end
  from segment s, terms t
  join chunk_lengths l on l.text_number = t.text_number
  group by s.id, t.lexeme;
end
$$;

comment on function braid_store.index_chunks(int, braid_store.collections, bigint[]) is
  'Writes a segment that holds the given chunks, with their forward rows, in the transaction that stores them.';
