create or replace function braid_store.rocchio_vector(
  tenant_id int,
  collection braid_store.collections,
  liked_ids bigint[],
  disliked_ids bigint[],
  out embedding @vector@.vector,
  out liked_count int,
  out disliked_count int
)
language plpgsql
stable
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
set jit = off
as $$
#variable_conflict use_column
declare
  c_most_chunks constant int := 100;
  -- The weights of Rocchio's formula come from Manning, Raghavan & Schütze 2008, section 9.1.1.
  c_liked constant float8 := 0.75;
  c_disliked constant float8 := 0.15;
  v_distance text := (select s.distance from braid_store.vector_spaces s
                      where s.id = (rocchio_vector.collection).vector_space_id);
  v_liked @vector@.vector;
  v_disliked @vector@.vector;
begin
  with members as (
    select c.id as chunk_id, d.id as document_id, d.is_liked, d.number
    from (
      select u.id, true as is_liked, u.number from unnest(rocchio_vector.liked_ids) with ordinality u (id, number)
      union all
      select u.id, false, u.number from unnest(rocchio_vector.disliked_ids) with ordinality u (id, number)
    ) d,
    lateral (
      select c.id from braid_store.chunks c
      where c.tenant_id = rocchio_vector.tenant_id and c.document_id = d.id and c.chunk_index < c_most_chunks
      offset 0
    ) c
  ), documents as (
    -- Under cosine, all chunks and all documents count alike, whatever the length of their vectors.
    select m.is_liked, m.number,
           @vector@.avg(case v_distance when 'cosine' then @vector@.l2_normalize(e.embedding) else e.embedding end
                        order by m.chunk_id) as mean
    from braid_store.stored_embeddings(rocchio_vector.tenant_id, rocchio_vector.collection,
                                       array(select m.chunk_id from members m)) e
    join members m on m.chunk_id = e.chunk_id
    group by m.is_liked, m.number
  )
  select @vector@.avg(d.mean order by d.number) filter (where d.is_liked),
         @vector@.avg(d.mean order by d.number) filter (where not d.is_liked),
         count(*) filter (where d.is_liked), count(*) filter (where not d.is_liked)
  into v_liked, v_disliked, liked_count, disliked_count
  from documents d;
  if v_liked is null then
    return;
  end if;

  embedding := v_liked;
  if v_disliked is not null then
    -- Divide by the sum of the weights: under l2, the vector then moves away from disliked documents and not towards
    -- the origin.
    embedding := array(
      select ((c_liked * u.liked - c_disliked * u.disliked) / (c_liked - c_disliked))::real
      from unnest(v_liked::real[], v_disliked::real[]) with ordinality u (liked, disliked, place)
      order by u.place)::@vector@.vector;
  end if;
  if v_distance = 'cosine' then
    if @vector@.vector_norm(embedding) < 1e-6 then
      raise exception 'the vectors of the liked and disliked documents cancel each other out'
        using errcode = '22023', hint = 'Leave some of the documents out.';
    end if;
    embedding := @vector@.l2_normalize(embedding);
  end if;
end
$$;

comment on function braid_store.rocchio_vector(int, braid_store.collections, bigint[], bigint[]) is
  'Return the vector of a profile by Rocchio''s formula (1971): 0.75 × the mean of the liked documents - 0.15 × the '
  'mean of the disliked ones, normalised. A document counts as the mean of its first 100 chunks. embedding is null '
  'if no liked document is embedded. liked_count, disliked_count: how many liked and disliked documents are '
  'embedded. Give the ids in a stable order, because rounding depends on it.';
