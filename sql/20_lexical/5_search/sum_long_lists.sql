create or replace function braid_store.sum_long_lists(
  tenant_id int,
  collection_id int,
  query braid_store.text_query,
  segment_ids bigint[],
  scales float8[],
  growth float8,
  stride int
)
returns table (segment_number int, block_number int, sum @vector@.vector, mask bit varying)
language plpgsql
stable
parallel safe
security invoker
rows 100
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set jit = off
set work_mem = '64MB'
as $$
#variable_conflict use_column
declare
  v_lexemes text[] := sum_long_lists.query.lexemes;
  v_weights float8[] := sum_long_lists.query.weights;
  v_drivers text[] := sum_long_lists.query.driver_lexemes;
  v_required text[] := sum_long_lists.query.required_lexemes;
  v_has_driver boolean := v_drivers <> '{}';
begin
  return query
  select b.segment_number, b.block_number,
         @vector@.sum(case when b.factor between 0.95 and 1 then b.block::@vector@.vector
                           else b.block::@vector@.vector operator(@vector@.*)
                                array_fill(b.factor::float4, array[8192])::@vector@.vector end),
         -- A driver that all must have, or several of which each has one.
         case when v_has_driver
              then (coalesce(bit_or(b.bits) filter (where b.lexeme = any (v_drivers)), repeat('0', 8192)::bit varying)
                   & coalesce(bit_and(b.bits) filter (where b.lexeme = any (v_required)),
                              repeat('1', 8192)::bit varying))::bit varying end
  from (
    select l.segment_number, l.lexeme, l.factor, l.block_number, l.block,
           case when v_has_driver and (l.lexeme = any (v_drivers) or l.lexeme = any (v_required))
                then @vector@.binary_quantize(l.block::@vector@.vector)::bit varying end as bits
    from (
      select s.segment_number, q.lexeme,
             q.weight * sum_long_lists.scales[s.segment_number] / (2047 * p.block_weight * sum_long_lists.growth) as factor,
             generate_subscripts(p.blocks, 1) as block_number, unnest(p.blocks) as block
      from unnest(v_lexemes, v_weights) q (lexeme, weight),
           lateral (
             select p.segment_id, p.block_weight, p.blocks from braid_store.postings p
             where p.tenant_id = sum_long_lists.tenant_id and p.collection_id = sum_long_lists.collection_id
               and p.lexeme = q.lexeme and p.blocks is not null
             offset 0
           ) p,
           lateral (select array_position(sum_long_lists.segment_ids, p.segment_id) as segment_number offset 0) s
    ) l
    where (l.segment_number + l.block_number) % sum_long_lists.stride = 0
  ) b
  group by b.segment_number, b.block_number;
end
$$;

comment on function braid_store.sum_long_lists(int, int, braid_store.text_query, bigint[], float8[], float8, int) is
  'What a query''s long lists add to the bounds of chunks, in units of growth: a vector for each block of every segment, '
  'or of every so manieth. With driver lexemes, a mask of the chunks that may match, as far as long lists tell.';
