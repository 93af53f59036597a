create or replace function braid_store.phrase_elements(tenant_id int, collection_id int, phrase text)
returns table (segment_id bigint, elements int[])
language plpgsql
stable
parallel safe
security invoker
rows 10
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set jit = off
as $$
#variable_conflict use_column
declare
  v_words text[] := array(select distinct w from string_to_table(phrase_elements.phrase, ' ') w);
begin
  return query
  with lists as materialized (
    select p.segment_id, p.elements, p.block_weight, p.blocks,
           row_number() over by_rarity as number,
           -- if the rarest word has a long list, all words have
           first_value(p.block_weight) over by_rarity is not null as are_all_long
    from (
      select p.*, count(*) over (partition by p.segment_id) as word_count
      from unnest(v_words) w (word),
           lateral (
             select p.segment_id, p.lexeme, p.posting_count, p.elements, p.block_weight, p.blocks
             from braid_store.postings p
             where p.tenant_id = phrase_elements.tenant_id and p.collection_id = phrase_elements.collection_id
               and p.lexeme = w.word and (p.elements is not null or p.block_weight is not null)
             offset 0
           ) p
    ) p
    where p.word_count = cardinality(v_words)
    window by_rarity as (partition by p.segment_id order by p.posting_count, p.lexeme)
  ), common as (
    select b.segment_id, b.block_number, bit_and(@vector@.binary_quantize(b.block::@vector@.vector)) as bits,
           -- The rarest word's impacts are bounds of the phrase's impacts.
           (array_agg(b.block) filter (where b.number = 1))[1]::@vector@.vector as block,
           max(b.block_weight) filter (where b.number = 1) as block_weight
    from (
      select l.segment_id, l.number, l.block_weight, generate_subscripts(l.blocks, 1) as block_number,
             unnest(l.blocks) as block
      from lists l
      where l.are_all_long
    ) b
    group by b.segment_id, b.block_number
  )
  select l.segment_id, l.elements
  from lists l
  where l.number = 1 and l.elements is not null
  union all
  select c.segment_id,
         array_agg(((((c.block_number - 1) << braid_store.block_bits()) + o.place)::int << braid_store.impact_bits())
                   | round(@vector@.vector_norm(@vector@.subvector(c.block, o.place::int, 1)) / c.block_weight)::int)
  from common c,
       lateral (
         -- The lengths of the runs of zeros give the positions of the ones.
         select sum(octet_length(t.zeros) + 1) over (order by t.number rows unbounded preceding) as place
         from string_to_table(c.bits::text, '1') with ordinality t (zeros, number)
         offset 0
       ) o
  where bit_count(c.bits) > 0 and o.place <= braid_store.block_size()
  group by c.segment_id;
end
$$;

comment on function braid_store.phrase_elements(int, int, text) is
  'Return the posting lists of a phrase, given as returned by braid_store.phrase_lexemes: the chunks that may '
  'contain it. The impacts are upper bounds of the phrase''s impacts, because each of its words occurs at least as '
  'often. If a word has a short list in a segment, the result is the list of the rarest word. If all words have long '
  'lists, it is the chunks that have all words, with the impacts of the rarest word.';
