create or replace function braid_store.matching_chunks(
  tenant_id int,
  collection braid_store.collections,
  chunk_ids bigint[],
  query braid_store.text_query
)
returns bigint[]
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
  v_conditions braid_store.query_condition[] := matching_chunks.query.conditions;
  v_group_count int := (select count(distinct c.group_number) from unnest(v_conditions) c where not c.is_excluded);
  v_lexemes text[] := matching_chunks.query.lexemes;
  v_word_numbers int[] := matching_chunks.query.word_numbers;
  v_is_title_ranked boolean := matching_chunks.collection.title_weight > 0;
  v_required_words int := matching_chunks.query.required_words;
begin
  return array(
    select u.chunk_id
    from unnest(matching_chunks.chunk_ids) with ordinality u (chunk_id, place),
         lateral (
           select string_to_array(f.lexemes, ' ') collate "C" as lexemes, f.position_ends, f.positions,
                  f.title_frequencies
           from braid_store.forward_rows f
           where f.tenant_id = matching_chunks.tenant_id and f.chunk_id = u.chunk_id
           offset 0
         ) f,
         lateral (
           select count(distinct c.group_number) filter (where not c.is_excluded) as groups,
                  count(*) filter (where c.is_excluded) as excluded
           from unnest(v_conditions) c
           where braid_store.condition_holds(c, f.lexemes, f.position_ends, f.positions)
           offset 0
         ) c
    where c.groups = v_group_count and c.excluded = 0
      and (v_required_words < 1
           or (select count(distinct w.word_number)
               from unnest(v_lexemes, v_word_numbers) w (lexeme, word_number),
                    lateral (select width_bucket(w.lexeme collate "C", f.lexemes) as place offset 0) l
               where w.word_number > 0 and f.lexemes[l.place] = w.lexeme
                 and (v_is_title_ranked
                      or f.position_ends[l.place] - coalesce(f.position_ends[l.place - 1], 0)
                         > coalesce(f.title_frequencies[l.place], 0)))
              >= v_required_words)
    order by u.place);
end
$$;

comment on function braid_store.matching_chunks(int, braid_store.collections, bigint[], braid_store.text_query) is
  'Those of the chunks that have all that a query demands.';
