create or replace function braid_store.scope_statistics(
  tenant_id int,
  collection braid_store.collections,
  query braid_store.text_query,
  filter braid_store.filter,
  max_chunks int,
  out scoped braid_store.text_query,
  out chunk_count int
)
language plpgsql
stable
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set jit = off
as $$
#variable_conflict use_column
declare
  v_factor float8 := braid_store.bm25_factor(scope_statistics.collection);
  v_chunk_ids bigint[];
  v_lexemes text[] := scope_statistics.query.lexemes;
  v_title_weight float8 := scope_statistics.collection.title_weight;
begin
  v_chunk_ids := coalesce(
    scope_statistics.filter.among,
    braid_store.filtered_chunk_ids(scope_statistics.tenant_id, scope_statistics.collection.id, scope_statistics.filter,
                                   scope_statistics.max_chunks));
  if cardinality(v_chunk_ids) > scope_statistics.max_chunks then
    return;
  end if;
  chunk_count := cardinality(v_chunk_ids);
  scoped := scope_statistics.query;
  select coalesce(nullif(sum(f.body_length + v_title_weight * f.title_length) / nullif(count(*), 0), 0), 1)
  into scoped.average_length
  from unnest(v_chunk_ids) u (chunk_id),
       lateral (
         select f.body_length, f.title_length from braid_store.forward_rows f
         where f.tenant_id = scope_statistics.tenant_id and f.chunk_id = u.chunk_id
         offset 0
       ) f;

  with searched as materialized (
    select distinct q.place, w.lexeme collate "C" as lexeme
    from unnest(v_lexemes, scope_statistics.query.phrases) with ordinality q (lexeme, phrase, place),
         string_to_table(coalesce(q.phrase, q.lexeme), ' ') w (lexeme)
  ), counts as (
    -- As in posting_lists, the words of a title count once per document.
    select q.place, q.lexeme, count(*) as count
    from unnest(v_chunk_ids) u (chunk_id),
         lateral (
           select string_to_array(f.lexemes, ' ') collate "C" as lexemes, f.position_ends, f.title_frequencies,
                  f.is_first_chunk
           from braid_store.forward_rows f
           where f.tenant_id = scope_statistics.tenant_id and f.chunk_id = u.chunk_id
           offset 0
         ) f,
         searched q,
         lateral (select width_bucket(q.lexeme collate "C", f.lexemes) as place offset 0) w
    where f.lexemes[w.place] = q.lexeme
      and (f.is_first_chunk
           or f.position_ends[w.place] - coalesce(f.position_ends[w.place - 1], 0)
              > coalesce(f.title_frequencies[w.place], 0))
    group by q.place, q.lexeme
  ), alternatives as (
    -- A phrase is as common as its rarest word.
    select q.place, min(coalesce(c.count, 0)) as count
    from searched q
    left join counts c on c.place = q.place and c.lexeme = q.lexeme
    group by q.place
  ), terms as (
    select q.place, q.frequency, coalesce(q.share, 1) as share,
           coalesce(max(c.count) over (partition by q.term_number), 0)::bigint as document_frequency
    from unnest(scope_statistics.query.term_numbers, scope_statistics.query.frequencies,
                scope_statistics.query.shares)
           with ordinality q (term_number, frequency, share, place)
    left join alternatives c on c.place = q.place
  )
  select coalesce(array_agg(v_factor * t.share * t.frequency
                            * ln(1 + (scope_statistics.chunk_count - t.document_frequency + 0.5::float8)
                                     / (t.document_frequency + 0.5::float8)) order by t.place), '{}'),
         coalesce(array_agg(t.document_frequency order by t.place), '{}')
  into scoped.weights, scoped.document_frequencies
  from terms t;
end
$$;

comment on function braid_store.scope_statistics(int, braid_store.collections, braid_store.text_query,
                                                 braid_store.filter, int) is
  'Recompute a compiled query''s idf and average length from the chunks that pass a filter, to rank within the '
  'filter alone. scoped: the query with the new numbers. chunk_count: the number of chunks that pass the filter. '
  'Both are null if more than max_chunks pass it.';
