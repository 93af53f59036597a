create or replace function braid_store.completed_titles(
  tenant_id int,
  collection braid_store.collections,
  chunk_ids bigint[],
  typed text
)
returns table (title text, frequency int)
language plpgsql
stable
parallel safe
security invoker
rows 10
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set jit = off
set enable_sort = off
set enable_bitmapscan = off
as $$
#variable_conflict use_column
declare
  v_pattern text := '^' || array_to_string(array(
    select braid_store.prefix_pattern(w, collection.fold_diacritics)
    from string_to_table(btrim(regexp_replace(typed, E'[ \n\t]+', ' ', 'g')), ' ') w), E'[ \\n]+');
begin
  return query
  select d.title, count(distinct d.id)::int
  from unnest(completed_titles.chunk_ids) u (chunk_id),
       lateral (
         select c.document_id, c.collection_id from braid_store.chunks c
         where c.tenant_id = completed_titles.tenant_id and c.id between u.chunk_id and u.chunk_id
         order by c.id
         offset 0
       ) c,
       lateral (
         select d.id, braid_store.composed_text(d.title) as title from braid_store.documents d
         where d.tenant_id = completed_titles.tenant_id and d.id between c.document_id and c.document_id
         order by d.id
         offset 0
       ) d
  where c.collection_id = completed_titles.collection.id and d.title collate "C" ~ v_pattern
  group by d.title;
end
$$;

comment on function braid_store.completed_titles(int, braid_store.collections, bigint[], text) is
  'Return the titles that begin with what was typed, each with the number of its documents, out of the documents of '
  'the given chunks.';
