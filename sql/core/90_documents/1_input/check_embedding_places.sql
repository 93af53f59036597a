create or replace function braid_store.check_embedding_places(documents jsonb, embeddings @vector@.vector[])
returns void
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  c_embedding_count constant int := cardinality(check_embedding_places.embeddings);
  v_nulls int[];
  v_wrong record;
begin
  -- array_ndims('{}') is null, so an empty array passes.
  if array_ndims(check_embedding_places.embeddings) > 1 then
    raise exception 'embeddings has % dimensions', array_ndims(check_embedding_places.embeddings)
      using errcode = '22023', hint = 'Send an array of vectors, not an array of arrays.';
  elsif array_lower(check_embedding_places.embeddings, 1) <> 1 then
    raise exception 'embeddings begins at %', array_lower(check_embedding_places.embeddings, 1)
      using errcode = '22023', hint = 'Send an array whose first element is number 1.';
  end if;

  v_nulls := array(
    select e.place from unnest(check_embedding_places.embeddings) with ordinality e (embedding, place)
    where e.embedding is null);
  select left(d.value ->> 'external_id', 100) as external_id, p.place into v_wrong
  from jsonb_array_elements(check_embedding_places.documents) d,
       lateral (
         select d.value -> 'embedding' as place
         union all
         select c.value -> 'embedding'
         from jsonb_array_elements(case jsonb_typeof(d.value -> 'chunks') when 'array' then d.value -> 'chunks' end) c
       ) p
  where jsonb_typeof(p.place) = 'number'
    and ((p.place)::numeric not between 1 and c_embedding_count
         or (p.place)::numeric % 1 <> 0
         or (p.place)::numeric = any (v_nulls))
  limit 1;
  if found and (v_wrong.place)::numeric = any (v_nulls) then
    raise exception 'embedding of document "%" is %, but element % of embeddings is null', v_wrong.external_id,
                    v_wrong.place, v_wrong.place
      using errcode = '22023', hint = 'Leave out the key embedding where a document or chunk has no vector.';
  elsif found then
    raise exception 'embedding of document "%" is %, but embeddings has % elements', v_wrong.external_id,
                    left(v_wrong.place::text, 100), c_embedding_count
      using errcode = '22023', hint = 'Give the position of the document''s vector in embeddings, counted from 1.';
  end if;
end
$$;

comment on function braid_store.check_embedding_places(jsonb, @vector@.vector[]) is
  'Raise 22023 unless each embedding of a document or chunk is the place, from 1, of a vector in embeddings. The '
  'place of a null is refused, and so is an embeddings that is no plain array.';
