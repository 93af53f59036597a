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
  v_chunk_ids bigint[];
  v_position_count int;
  -- Each batch of this many chunks becomes a segment. Batch and segment both number their chunks in 20 bits.
  c_size constant int := 100000;
begin
  for v_start in 1..coalesce(cardinality(index_chunks.chunk_ids), 0) by c_size loop
    with analysed as (
      insert into braid_store.forward_rows
      select a.*
      from braid_store.analyse_chunks(index_chunks.tenant_id, index_chunks.collection,
                                      index_chunks.chunk_ids[v_start : v_start + c_size - 1]) a
      returning chunk_id, cardinality(positions) as position_count
    )
    select array_agg(a.chunk_id order by a.chunk_id), max(a.position_count) into v_chunk_ids, v_position_count
    from analysed a;
    -- Forward rows store the number of positions in 16 bits.
    if v_position_count > 32700 then
      raise exception 'a chunk with its title has % words and parts of words, more than 32700', v_position_count
        using errcode = '22023',
              hint = 'Give shorter chunks, give content without chunks, or lower chunk_tokens.';
    end if;
    continue when v_chunk_ids is null;
    perform braid_store.write_segment(index_chunks.tenant_id, index_chunks.collection, v_chunk_ids);
  end loop;
end
$$;

comment on function braid_store.index_chunks(int, braid_store.collections, bigint[]) is
  'Add new chunks to the full-text index, in the transaction that stores them: write their forward rows and a '
  'segment that holds them. Raise 22023 for a chunk that has, with its title, more than 32700 words and parts of '
  'words.';
