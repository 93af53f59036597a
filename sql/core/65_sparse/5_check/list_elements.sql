create or replace function braid_store.list_elements(elements int[], block_weight float8, blocks @vector@.sparsevec[])
returns setof int
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
begin
  if list_elements.elements is not null then
    return query select unnest(list_elements.elements);
    return;
  end if;
  return query
  select ((b.number - 1) * braid_store.block_size() + n.place)::int << braid_store.impact_bits()
         | round(n.value / list_elements.block_weight)::int
  from unnest(list_elements.blocks) with ordinality b (block, number),
       unnest(b.block::@vector@.vector::real[]) with ordinality n (value, place)
  where n.value > 0;
end
$$;

comment on function braid_store.list_elements(int[], float8, @vector@.sparsevec[]) is
  'Return the elements of a posting list, in either of its storage forms, as chunk_number << 11 | impact.';
