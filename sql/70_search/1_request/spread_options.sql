create or replace function braid_store.spread_options(
  inout options braid_store.search_options,
  collection braid_store.collections,
  legs text
)
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
begin
  options.neighbour_weight := coalesce(options.neighbour_weight, collection.neighbour_weight);
  if options.neighbour_weight > 0 then
    options.is_rearranged := true;
  end if;
  -- Who chooses another fusion or normalisation gets its scores as they are defined. Pages go on where no score depends on
  -- how many candidates there are.
  options.smoothing := case
    when legs <> 'hybrid' then 0
    when options.smoothing is not null then options.smoothing
    when collection.fusion = 'convex' and options.full_text_normalisation = 'centroid'
         and options.semantic_normalisation = 'centroid' and options.cursor is null
         and collection.full_text_weight > 0 and collection.semantic_weight > 0 then collection.smoothing
    else 0 end;
end
$$;

comment on function braid_store.spread_options(braid_store.search_options, braid_store.collections, text) is
  'Fills in neighbour_weight and smoothing where a search did not give them: as the collection has them, smoothing only '
  'for hybrid searches by both legs with the fusion convex and the normalisation centroid that ask for no page.';
