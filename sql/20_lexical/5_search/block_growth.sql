create or replace function braid_store.block_growth(
  tenant_id int,
  collection_id int,
  query braid_store.text_query,
  segment_ids bigint[],
  scales float8[],
  out growth float8,
  out list_count bigint
)
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set jit = off
as $$
#variable_conflict use_column
declare
  v_lexemes text[] := block_growth.query.lexemes;
  v_weights float8[] := block_growth.query.weights;
begin
  select (1 + 1e-5 + 1e-7 * cardinality(v_lexemes)) * coalesce(nullif(percentile_disc(0.9) within group (order by f.factor), 0), 1), count(*)
  into growth, list_count
  from (
    select q.weight * block_growth.scales[array_position(block_growth.segment_ids, p.segment_id)]
           / (2047 * p.block_weight) as factor
    from unnest(v_lexemes, v_weights) q (lexeme, weight),
         lateral (
           select p.segment_id, p.block_weight from braid_store.postings p
           where p.tenant_id = block_growth.tenant_id and p.collection_id = block_growth.collection_id
             and p.lexeme = q.lexeme and p.block_weight is not null
           offset 0
         ) p
  ) f;
end
$$;

comment on function braid_store.block_growth(int, int, braid_store.text_query, bigint[], float8[]) is
  'By what most of a query''s long lists are multiplied: weights over the weights that they were packed with, and a '
  'margin for single precision. And how many such lists there are.';
