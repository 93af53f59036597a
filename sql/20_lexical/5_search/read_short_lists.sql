create or replace function braid_store.read_short_lists(
  tenant_id int,
  collection_id int,
  query braid_store.text_query,
  segment_ids bigint[],
  scales float8[],
  out places bigint[],
  out bounds float8[],
  out are_driven boolean[]
)
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set jit = off
set work_mem = '64MB'
as $$
#variable_conflict use_column
declare
  v_lexemes text[] := read_short_lists.query.lexemes;
  v_weights float8[] := read_short_lists.query.weights;
  v_drivers text[] := read_short_lists.query.driver_lexemes;
  v_has_driver boolean := v_drivers <> '{}';
begin
  select coalesce(array_agg(s.place), '{}'), coalesce(array_agg(s.bound), '{}'), coalesce(array_agg(s.is_driven), '{}')
  into places, bounds, are_driven
  from (
    select e.place, sum(e.bound) as bound, bool_or(e.is_driver) as is_driven
    from (
      -- SELECT-list unnest: in FROM it would fill a tuplestore first.
      select l.segment_number << 20 | (l.element >> 11) as place, (l.element & 2047) * l.unit as bound, l.is_driver
      from (
        select s.segment_number, q.weight * read_short_lists.scales[s.segment_number] / 2047 as unit,
               not v_has_driver or q.lexeme = any (v_drivers) as is_driver, unnest(p.elements) as element
        from unnest(v_lexemes, v_weights) q (lexeme, weight),
             lateral (
               select p.segment_id, p.elements from braid_store.postings p
               where p.tenant_id = read_short_lists.tenant_id and p.collection_id = read_short_lists.collection_id
                 and p.lexeme = q.lexeme and p.elements is not null
               offset 0
             ) p,
             lateral (
               select array_position(read_short_lists.segment_ids, p.segment_id)::bigint as segment_number offset 0
             ) s
      ) l
    ) e
    group by e.place
  ) s;
end
$$;

comment on function braid_store.read_short_lists(int, int, braid_store.text_query, bigint[], float8[]) is
  'The places (segment number << 20 | chunk number) of chunks in a query''s short lists, and what these add to their '
  'bounds; of a query with driver lexemes, whether one of them is among those of the place.';
