create or replace function braid_store.encode_sparse_query(encoder text, query_text text)
returns jsonb
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set jit = off
as $$
declare
  v_encoder braid_store.sparse_encoders;
  v_piece record;
  v_word text;
  v_next int; -- where in v_word the next piece begins
  v_word_terms jsonb := '{}';
  v_terms jsonb := '{}';
begin
  select e.* into v_encoder from braid_store.sparse_encoders e where e.name = encode_sparse_query.encoder;
  -- WordPiece (Wu et al. 2016): the longest term that the word begins with, then the longest that its rest begins with. A
  -- word that cannot be cut up so counts for nothing. For each word and place, the longest term that stands there:
  for v_piece in
    select distinct on (w.place, b.place) w.word, b.place, n.length, t.term, t.weight
    from unnest(braid_store.sparse_words(query_text)) with ordinality w (word, place),
         generate_series(1, length(w.word)) b (place),
         generate_series(1, least(v_encoder.max_piece_length, length(w.word) - b.place + 1)) n (length),
         lateral (
           select t.term, t.weight from braid_store.sparse_encoder_terms t
           where t.encoder_id = v_encoder.id
             and t.term = case when b.place > 1 then '##' else '' end || substr(w.word, b.place, n.length)
           offset 0
         ) t
    order by w.place, b.place, n.length desc
  loop
    if v_piece.word is distinct from v_word then
      v_word := v_piece.word;
      v_next := 1;
      v_word_terms := '{}';
    end if;
    if v_piece.place = v_next then
      v_next := v_next + v_piece.length;
      if v_piece.weight > 0 then
        v_word_terms := v_word_terms || jsonb_build_object(v_piece.term, v_piece.weight);
      end if;
      if v_next > length(v_word) then
        v_terms := v_terms || v_word_terms;
      end if;
    end if;
  end loop;
  return v_terms;
end
$$;

comment on function braid_store.encode_sparse_query(text, text) is
  'Cuts a query text into the terms of a sparse encoder, and returns an object of these and their weights. However often a '
  'term stands in the text, it counts once.';
