create or replace function braid_store.result_rows(
  tenant_id int,
  collection braid_store.collections,
  ranked braid_store.fused_candidate[],
  match_count int,
  options jsonb,
  marked_lexemes text[],
  marked_prefixes text[]
)
returns braid.search_result[]
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set jit = off
as $$
declare
  v_snippet record := braid_store.snippet_options(result_rows.options);
begin
  return array(
    with found as materialized (
      select r.*, c.document_id, d.external_id, c.chunk_index, d.title, c.content, d.source_uri, c.speaker, c.category,
             c.importance, c.occurred_at, c.created_at, c.token_count, c.metadata,
             row_number() over (order by r.score desc, d.external_id, c.chunk_index) as place
      from unnest(result_rows.ranked) r,
           lateral (
             select c.* from braid_store.chunks c
             where c.tenant_id = result_rows.tenant_id and c.id = r.chunk_id
             offset 0
           ) c,
           lateral (
             select d.external_id, d.title, d.source_uri from braid_store.documents d
             where d.tenant_id = result_rows.tenant_id and d.id = c.document_id
             offset 0
           ) d
      order by place
      limit result_rows.match_count
    ), snippets as (
      select s.snippet, s.place
      from unnest(case when v_snippet.is_asked then braid_store.make_snippets(
                    array(select f.content from found f order by f.place), result_rows.marked_lexemes,
                    result_rows.marked_prefixes, result_rows.collection.text_config,
                    result_rows.collection.fold_diacritics, v_snippet.start_tag, v_snippet.stop_tag,
                    v_snippet.fragment_count, v_snippet.fragment_words, v_snippet.fragment_separator) end)
             with ordinality s (snippet, place)
    )
    select row(f.chunk_id, f.document_id, f.external_id, f.chunk_index, f.title, f.content, f.source_uri, f.speaker,
               f.category, f.importance, f.occurred_at, f.created_at, f.token_count, f.metadata, f.score,
               f.full_text_score, f.full_text_normalised_score, f.full_text_rank,
               f.semantic_score, f.semantic_normalised_score, f.semantic_rank, s.snippet)::braid.search_result
    from found f
    left join snippets s on s.place = f.place
    order by f.place);
end
$$;

comment on function braid_store.result_rows(int, braid_store.collections, braid_store.fused_candidate[], int, jsonb, text[],
                                            text[]) is
  'The rows of a search, best first, ties by external_id and chunk_index; with snippets if the options ask for them.';
