create or replace function braid_store.nearest_means(
  scores float8[],
  vectors @vector@.vector[]
)
returns float8[]
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set jit = off
as $$
declare
  c_nearest constant int := 10;
  v_vectors @vector@.vector[];
  v_mean @vector@.vector;
  v_places int[];
  v_scores float8[];
begin
  select array_agg(u.embedding order by u.place), @vector@.avg(u.embedding order by u.place),
         array_agg(u.place::int order by u.place), array_agg(u.score order by u.place)
  into v_vectors, v_mean, v_places, v_scores
  from unnest(nearest_means.vectors, nearest_means.scores) with ordinality u (embedding, score, place)
  where u.embedding is not null;
  -- The vectors are centred, because the component that all of them share does not tell which of them are alike.
  v_vectors := array(
    select @vector@.l2_normalize(u.embedding operator(@vector@.-) v_mean)
    from unnest(v_vectors) with ordinality u (embedding, place) order by u.place);
  return array(
    select m.mean
    from generate_subscripts(nearest_means.scores, 1) p (place)
    left join lateral (
      select u.place, t.mean
      from unnest(v_places, v_vectors) u (place, embedding),
           lateral (
             select sum(n.weight * n.score) / nullif(sum(n.weight), 0::float8) as mean
             from (
               select -(o.embedding operator(@vector@.<#>) u.embedding) as weight, o.score
               from unnest(v_places, v_vectors, v_scores) o (place, embedding, score)
               where o.place <> u.place
               order by 1 desc, o.place
               limit c_nearest
             ) n
             where n.weight > 0
           ) t
      offset 0
    ) m on m.place = p.place
    order by p.place);
end
$$;

comment on function braid_store.nearest_means(float8[], @vector@.vector[]) is
  'Return for each chunk the mean score of the 10 given chunks whose vectors are nearest to its own. The mean is '
  'weighted by cosine, after the mean vector was subtracted. It is null for a chunk without a vector, and for a '
  'chunk that has no positive cosine with another.';
