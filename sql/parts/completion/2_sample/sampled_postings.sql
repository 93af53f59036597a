create or replace function braid_store.sampled_postings(
  tenant_id int,
  collection_id int,
  lexemes text[],
  counts int[],
  among bigint[]
)
returns bigint[]
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set jit = off
set enable_seqscan = off
set enable_bitmapscan = off
as $$
#variable_conflict use_column
declare
  c_most_segments constant int := 64;
begin
  return array(
    select i.chunk_id
    from (
      select p.segment_id, p.document_frequency, p.elements, p.blocks, p.document_frequency * p.density as share,
             (
               select g.first_chunk_id from braid_store.segments g
               where g.tenant_id = sampled_postings.tenant_id and g.collection_id = sampled_postings.collection_id
                 and g.id = p.segment_id
             ) as first_chunk_id,
             -- The numbers of all lists of a lexeme add up to its count.
             (ceil(p.last * p.density - 1e-6) - ceil((p.last - p.document_frequency) * p.density - 1e-6))::int as wanted
      from unnest(sampled_postings.lexemes, sampled_postings.counts) l (lexeme, count),
           lateral (
             select p.*, sum(p.document_frequency) over (order by p.document_frequency desc, p.segment_id) as last,
                    least(1, l.count::float8 / sum(p.document_frequency) over ()) as density
             from (
               -- trim_array detoasts a list only once.
               select p.segment_id, p.document_frequency, trim_array(p.elements, 0) as elements,
                      trim_array(p.blocks, 0) as blocks
               from braid_store.postings p
               where p.tenant_id = sampled_postings.tenant_id and p.collection_id = sampled_postings.collection_id
                 and p.lexeme = l.lexeme and (p.elements is not null or p.block_weight is not null)
               order by p.document_frequency desc
               limit c_most_segments
             ) p
             offset 0
           ) p
      offset 0
    ) s,
    lateral (
      select array(
        select (s.elements[1 + (n * cardinality(s.elements)::float8 / w.wanted)::int]
                >> braid_store.impact_bits())
        from generate_series(0, w.wanted - 1) n
        where s.elements is not null
        union all
        select b.numbers[1 + (n * cardinality(b.numbers)::float8 / w.wanted)::int]
        from (
          -- Two blocks of 8192 chunks are enough for a sample.
          select array_agg(o.chunk_number) as numbers
          from (values (cardinality(s.blocks) / 3 + 1), (cardinality(s.blocks) * 2 / 3 + 1)) k (block_number),
               lateral (
                 -- The lengths of the runs of zeros give the positions of the ones.
                 select ((k.block_number - 1) << braid_store.block_bits())
                        + (sum(octet_length(t.zeros) + 1) over (order by t.place rows unbounded preceding))::int
                          as chunk_number,
                        t.place = count(*) over () as is_end
                 from string_to_table(
                        left(@vector@.binary_quantize(s.blocks[k.block_number]::@vector@.vector)::text, w.bit_count),
                        '1')
                      with ordinality t (zeros, place)
               ) o
          where s.blocks is not null and not o.is_end
        ) b,
        generate_series(0, w.wanted - 1) n
      ) as numbers
      from (
        -- This many bits of each block have about as many ones as are wanted.
        select s.wanted,
               ceil(least(1, s.share * cardinality(s.blocks) / s.document_frequency) * braid_store.block_size())::int
                 as bit_count
      ) w
      offset 0
    ) d,
    lateral unnest(d.numbers) with ordinality c (chunk_number, place),
    lateral (
      select coalesce(s.first_chunk_id + c.chunk_number - 1, (
               select sc.chunk_id from braid_store.segment_chunks sc
               where sc.tenant_id = sampled_postings.tenant_id and sc.collection_id = sampled_postings.collection_id
                 and sc.segment_id = s.segment_id and sc.chunk_number between c.chunk_number and c.chunk_number
               order by sc.chunk_number
               limit 1)) as chunk_id
      offset 0
    ) i
    where c.chunk_number is not null and i.chunk_id is not null
      and (sampled_postings.among is null or i.chunk_id in (select unnest(sampled_postings.among)))
    group by i.chunk_id
    order by min(c.place), i.chunk_id);
end
$$;

comment on function braid_store.sampled_postings(int, int, text[], int[], bigint[]) is
  'Return chunks that have lexemes, about counts of each, spread over its lists. Some may be deleted. among: leave out '
  'other chunks, unless it is null. The work is bounded if no lexeme is in very many chunks.';
