create or replace function braid_store.full_text_leg(
  tenant_id int,
  collection braid_store.collections,
  query_text text,
  match text,
  filter text,
  min_score float8,
  candidate_count int,
  out candidates braid_store.candidate[],
  out terms text[],
  out dropped_terms text[],
  out is_cut boolean
)
language plpgsql
stable
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set jit = off
as $$
declare
  -- Bounds the work of a query that is a book: 64 terms are kept in the end.
  v_max_words constant int := 16384;
  v_words text[] := string_to_array(translate(query_text, e'\n\r\t', '   '), ' ');
  v_chunk_count bigint;
  v_average_length float8;
  v_weights float8[];
  v_word_numbers int[];
  v_word_count int;
begin
  is_cut := cardinality(v_words) > v_max_words;
  select s.chunk_count, (s.body_length + collection.title_weight * s.title_length) / nullif(s.chunk_count, 0)
  into v_chunk_count, v_average_length
  from braid_store.index_statistics(full_text_leg.tenant_id, collection.id) s;

  select array_agg(t.lexeme order by t.lexeme collate "C") filter (where t.is_kept),
         array_agg(t.weight order by t.lexeme collate "C") filter (where t.is_kept),
         array_agg(t.kept_word_number order by t.lexeme collate "C") filter (where t.is_kept),
         array_agg(t.lexeme order by t.lexeme collate "C") filter (where t.document_frequency > 0 and not t.is_kept),
         -- A word that occurs nowhere still counts; one whose every lexeme was dropped does not.
         count(distinct t.word_number) filter (where t.is_kept or t.document_frequency = 0)
  into terms, v_weights, v_word_numbers, dropped_terms, v_word_count
  from (
    select w.*, dense_rank() over (partition by w.is_kept order by w.word_number)::int as kept_word_number -- up to 64
    from braid_store.weighted_terms(full_text_leg.tenant_id, collection.id, v_chunk_count,
                                    case when is_cut then array_to_string(v_words[:v_max_words], ' ') else query_text end,
                                    collection.text_config, collection.fold_diacritics) w
  ) t;

  candidates := array(
    select row(c.chunk_id, c.score, c.rank)::braid_store.candidate
    from braid_store.full_text_candidates(full_text_leg.tenant_id, collection, terms, v_weights, v_word_numbers,
                                          braid_store.required_words(match, v_word_count), v_average_length, filter,
                                          min_score, candidate_count) c
    where terms is not null
    order by c.rank);
end
$$;

comment on function braid_store.full_text_leg(int, braid_store.collections, text, text, text, float8, int) is
  'The full-text candidates of a query text in order, the lexemes searched, those dropped beyond 64, and whether only '
  'the first 16384 words were read.';
