create or replace function braid_store.prepare_token_vectors(option jsonb, collection braid_store.collections)
returns jsonb
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  -- With 384 dimensions, the limit is about six seconds.
  c_max_pairs constant int := 20000000;
  v_vectors @vector@.halfvec[] := array(
    select u.vector::@vector@.halfvec
    from jsonb_array_elements_text(option -> 'vectors') with ordinality u (vector, place) order by u.place);
  v_pairs float8;
begin
  perform braid_store.check_token_model(collection, option ->> 'embedding_model', 'option late_interaction'),
          braid_store.check_token_vectors(collection, v_vectors, 'option late_interaction');
  v_pairs := (option ->> 'candidates')::float8 * (collection.parts ->> 'token_vector_count')::int
    * cardinality(v_vectors)
             * (collection.parts ->> 'token_vector_dimensions')::int / 384;
  if v_pairs > c_max_pairs then
    raise exception 'option late_interaction: % candidates of up to % vectors, % vectors of the query and % '
      'dimensions are '
                    'more than % pairs of vectors of 384 dimensions', option -> 'candidates',
                    collection.parts -> 'token_vector_count', cardinality(v_vectors),
                    collection.parts -> 'token_vector_dimensions', c_max_pairs
      using errcode = '54000', hint = 'Give fewer candidates, or pool the query''s vectors to fewer.';
  end if;
  return option || jsonb_build_object('vectors', array(
    select @vector@.l2_normalize(u.vector)::text from unnest(v_vectors) with ordinality u (vector, place)
      order by u.place));
end
$$;

comment on function braid_store.prepare_token_vectors(jsonb, braid_store.collections) is
  'Return the option late_interaction, as read_late_interaction_option returns it, with the query''s token vectors '
  'normalised to length 1. Raise 22023 if they cannot be compared with the collection''s token vectors, and 54000 if '
  'the comparison takes too much work.';
