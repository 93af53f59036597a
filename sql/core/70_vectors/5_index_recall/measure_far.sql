create or replace function braid_store.measure_far(
  shard braid_store.vector_shards,
  space braid_store.vector_spaces,
  widths int[],
  distances float8[],
  own_queries @vector@.vector[],
  out place int,
  out index_recall float8,
  out far_distance float8,
  out far_ef_search int
)
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
set jit = off
as $$
#variable_conflict use_column
declare
  -- An index over bits returns a thousand vectors for each query, so it gets fewer queries.
  c_share constant float8 := case shard.storage when 'binary' then 0.3 else 1 end;
  c_usual constant int := 80 * c_share;
  c_beside constant int := 40 * c_share;
  c_away constant int := 100 * c_share;
  c_stored constant int := 400 * c_share;
  c_far_widths constant int[] := '{64,100,160,250,400,640,1000}';
  v_widest int := greatest(100, shard.vector_count / 4);
  v_stored @vector@.vector[];
  v_finds_longer boolean;
  v_queries @vector@.vector[];
  v_query_count int;
  v_question_count int;
  v_exact record;
  v_itself float8[];
  v_index_recalls record;
  v_found float8[];
  v_suspect int[];
  v_chosen record;
  v_width int;
  v_finds_far boolean;
  v_is_good boolean;
begin
  -- A stored vector finds itself, unless it lies in an island without a path in the index. With inner products, longer
  -- vectors may be nearer. So if lengths differ, a scan tells what stored vectors find.
  v_stored := coalesce(braid_store.sample_queries(shard, space, c_stored, 0), '{}');
  v_finds_longer := space.distance = 'inner_product' and (
    select max(@vector@.vector_norm(q)) > 1.01 * min(@vector@.vector_norm(q)) from unnest(v_stored) q);
  v_queries := own_queries;
  if v_queries = '{}' then
    -- There are three kinds of sample queries: like questions, beside a stored vector in a direction in which vectors
    -- do not differ, and far from all stored vectors.
    v_queries := coalesce(braid_store.sample_queries(shard, space, c_usual), '{}')
      || coalesce(braid_store.sample_queries(shard, space, c_beside, 1.5, true), '{}')
      || coalesce(braid_store.sample_queries(shard, space, c_away, 20, true), '{}');
  end if;
  v_queries := array(
    select q from unnest(v_queries) with ordinality u (q, place)
    where (space.distance <> 'cosine' or @vector@.vector_norm(q) > 0)
      -- indexed_candidates does not use the index for longer queries.
      and (shard.index_type is distinct from 'halfvec' or space.distance <> 'l2' or @vector@.vector_norm(q) <= 65504)
    order by place);
  v_query_count := cardinality(v_queries);
  v_question_count := case when own_queries = '{}' then least(c_usual, v_query_count) else v_query_count end;
  far_distance := 'infinity';
  if v_query_count = 0 then
    return;
  end if;
  if v_finds_longer then
    v_exact := braid_store.exact_distances(shard, space, v_queries || v_stored);
  else
    v_exact := braid_store.exact_distances(shard, space, v_queries);
    v_exact.counts := v_exact.counts || array_fill(1, array[cardinality(v_stored)]);
    v_itself := array(
      select case when space.distance = 'inner_product' then s.v operator(@vector@.<#>) s.v else 0 end
      from unnest(v_stored) with ordinality s (v, place) order by s.place);
    v_exact.tenth := v_exact.tenth || v_itself;
    v_exact.last := v_exact.last || v_itself;
  end if;
  v_queries := v_queries || v_stored;

  for v_place in 1 .. cardinality(widths) loop
    v_index_recalls := braid_store.query_index_recalls(shard, space, v_queries, v_exact.counts, v_exact.tenth,
                                                       v_exact.last, widths[v_place]);
    v_found := array(
      select coalesce(f / case when space.distance = 'inner_product' then nullif(@vector@.vector_norm(q), 0) else 1 end,
                      'infinity')
      from unnest(v_index_recalls.found_distances, v_queries) with ordinality u (f, q, place)
      order by place);
    v_chosen := braid_store.choose_far_distance(v_found, v_index_recalls.index_recalls_10, v_query_count,
                                                v_question_count, distances[v_place]);
    far_distance := v_chosen.far_distance;
    index_recall := v_chosen.index_recall;
    v_is_good := index_recall >= 0.985 and v_chosen.suspect_share <= 0.3;
    continue when not v_is_good and v_place < cardinality(widths);

    -- The width must be enough for all answers beyond far_distance, or for the farthest twenty. Answers for stored
    -- vectors are among them.
    v_suspect := array(
      select u.place
      from (select u.*, row_number() over (order by u.found desc) as rank
            from unnest(v_found) with ordinality u (found, place)) u
      where u.found > far_distance or u.rank <= 20
      order by u.place);
    v_finds_far := false;
    far_ef_search := null;
    foreach v_width in array c_far_widths loop
      continue when v_width < widths[v_place];
      exit when v_width > v_widest;
      -- A width that misses none of these queries may miss one in a hundred others, so the next width is used, if there
      -- is one.
      if v_finds_far then
        far_ef_search := v_width;
        exit;
      end if;
      select r.* into v_index_recalls
      from (
             select array_agg(v_queries[p] order by p) as queries, array_agg(v_exact.counts[p] order by p) as counts,
                    array_agg(v_exact.tenth[p] order by p) as tenth, array_agg(v_exact.last[p] order by p) as last
             from unnest(v_suspect) p
           ) a,
           braid_store.query_index_recalls(shard, space, a.queries, a.counts, a.tenth, a.last, v_width) r;
      v_finds_far := (
        select avg(u.index_recall) >= 0.97
               and coalesce(min(u.index_recall) filter (where u.place <= v_query_count), 1) >= 0.7
               and coalesce(avg(u.index_recall) filter (where u.place > v_query_count), 1) >= 0.5
        from unnest(v_index_recalls.index_recalls_10, v_suspect) u (index_recall, place));
      if v_finds_far and v_width = 1000 then
        far_ef_search := v_width;
      end if;
    end loop;
    -- A narrow width with a distance must find as much for questions that did not choose the distance, and cost less
    -- than one width for all. Searches by vectors alone are wider by the margin, and a second search is not.
    v_is_good := v_is_good and (distances[v_place] = 'infinity' or coalesce(
      v_chosen.question_recall >= 0.98
      -- A scan costs about as much as an index search at a quarter of the vectors.
      and v_chosen.again_share * coalesce(far_ef_search, shard.vector_count / 4)
          < (widths[cardinality(widths)] - widths[v_place])
            * case when own_queries = '{}' then braid_store.sample_margin() else 1 end, false));
    if v_is_good then
      place := v_place;
      exit;
    end if;
  end loop;
  if v_chosen.relaxed_distance is not null then
    far_distance := v_chosen.relaxed_distance;
    far_ef_search := case when far_distance < 'infinity' then far_ef_search end;
  end if;
end
$$;

comment on function braid_store.measure_far(braid_store.vector_shards, braid_store.vector_spaces, int[], float8[],
                                            @vector@.vector[]) is
  'Measure up to which distance the answers of a shard''s HNSW index can be relied on. widths: the widths to try in '
  'order; the last is the width for all searches if no other is good. distances: for each width, the distance beyond'
  ' which an answer is searched again in any case, or infinity. place: the place of the first width that finds 98.5 '
  '% (index_recall) for answers up to far_distance, which must be most answers; null if there is none. A width with '
  'a distance must also cost less than the last width. far_distance: the largest reliable distance of the tenth '
  'nearest vector; for inner products, it is divided by the length of the query. far_ef_search: the width after the '
  'smallest one that is enough for farther answers; null if there is none. If most answers are good but would be '
  'farther, far_distance is as far as good answers reach, or infinity if answers beyond are good, too. The queries '
  'are own_queries, or else queries like questions, beside and away from the vectors. Some of the stored vectors are '
  'added. Each must find itself or, for inner products of vectors of several lengths, what a scan finds.';
