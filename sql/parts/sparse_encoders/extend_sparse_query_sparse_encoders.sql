create or replace function braid_store.extend_sparse_query_sparse_encoders(
  inout terms jsonb,
  collection braid_store.collections,
  query_text text
)
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_sort = off
set jit = off
-- Print weights in their shortest form, so that 0.1 in single precision is read as 0.1.
set extra_float_digits = 1
as $$
declare
  v_encoder braid_store.sparse_encoders;
  v_word text;
  v_next int; -- the position in v_word at which the next piece begins
  v_mark text;
  v_key text;
  v_piece record;
  v_word_terms text[];
  v_word_weights real[];
  v_terms text[] := '{}';
  v_weights real[] := '{}';
begin
  if terms is not null or collection.parts ->> 'sparse_encoder' is null then
    return;
  end if;
  select e.* into v_encoder from braid_store.sparse_encoders e where e.name = collection.parts ->> 'sparse_encoder';
  -- WordPiece (Wu et al. 2016) takes the longest term that begins the word, then the longest that begins the rest. A
  -- word that cannot be split this way counts for nothing.
  foreach v_word in array braid_store.sparse_words(query_text) loop
    v_next := 1;
    v_word_terms := '{}';
    v_word_weights := '{}';
    while v_next <= length(v_word) loop
      v_mark := case when v_next > 1 then '##' else '' end;
      v_key := v_mark || substr(v_word, v_next, v_encoder.max_piece_length);
      -- All prefixes of the key sort before it, the longest last. If the last term before the key is no prefix, the
      -- wanted term is at most as long as their common prefix.
      loop
        select t.term, t.weight into v_piece
        from braid_store.sparse_encoder_terms t
        where t.encoder_id = v_encoder.id and t.term <= v_key collate "C"
        order by t.term desc
        limit 1;
        exit when v_piece.term is null or starts_with(v_key, v_piece.term);
        v_key := (
          select left(v_key, coalesce(max(n.length), 0))
          from generate_series(1, length(v_key)) n (length)
          where left(v_key, n.length) = left(v_piece.term, n.length));
      end loop;
      exit when v_piece.term is null or length(v_piece.term) <= length(v_mark);
      v_next := v_next + length(v_piece.term) - length(v_mark);
      if v_piece.weight > 0 then
        v_word_terms := v_word_terms || v_piece.term;
        v_word_weights := v_word_weights || v_piece.weight;
      end if;
    end loop;
    if v_next > length(v_word) then
      v_terms := v_terms || v_word_terms;
      v_weights := v_weights || v_word_weights;
    end if;
  end loop;
  terms := (
    select coalesce(jsonb_object_agg(w.term, w.weight::text::float8), '{}') from unnest(v_terms, v_weights) w (term,
      weight));
end
$$;

comment on function braid_store.extend_sparse_query_sparse_encoders(jsonb, braid_store.collections, text) is
  'Split a query text into the terms of the collection''s encoder, and return the terms and their weights. A '
  'repeated term counts once.';
