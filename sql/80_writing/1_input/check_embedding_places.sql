create or replace function braid_store.check_embedding_places(documents jsonb, embedding_count int)
returns void
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  v_wrong record;
begin
  select left(d.value ->> 'external_id', 100) as external_id, p.place into v_wrong
  from jsonb_array_elements(check_embedding_places.documents) d,
       lateral (
         select d.value -> 'embedding' as place
         union all
         select c.value -> 'embedding'
         from jsonb_array_elements(case jsonb_typeof(d.value -> 'chunks') when 'array' then d.value -> 'chunks' end) c
       ) p
  where jsonb_typeof(p.place) = 'number'
    and ((p.place)::numeric not between 1 and check_embedding_places.embedding_count
         or (p.place)::numeric % 1 <> 0)
  limit 1;
  if found then
    raise exception 'embedding of document "%" is %, embeddings has % elements', v_wrong.external_id,
                    left(v_wrong.place::text, 100), check_embedding_places.embedding_count
      using errcode = '22023', hint = 'Give the place of its vector in embeddings, from 1.';
  end if;
end
$$;

comment on function braid_store.check_embedding_places(jsonb, int) is
  'Raises 22023 for a document or a chunk whose embedding is not the place, from 1, of one of embedding_count vectors.';
