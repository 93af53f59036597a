create or replace function braid_store.candidate_features(
  request braid_store.search_request,
  candidates braid_store.fused_candidate[],
  wanted text[]
)
returns table (place int, features float8[])
language plpgsql
stable
parallel unsafe
security invoker
rows 200
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set jit = off
-- Make the planner use the primary key for the lookups below: only its order avoids a sort. While the table is small,
-- other indexes that begin with the tenant seem as cheap, but each lookup would read all rows of the tenant.
set enable_sort = off
set enable_bitmapscan = off
as $$
#variable_conflict use_column
declare
  c_half constant float8 := 604800; -- seconds after which recency has halved
  v_now float8 := extract(epoch from now())::float8;
  v_term_count int := coalesce(cardinality((request.query).terms), 0);
  v_neighbours float8[];
  v_words float8[];
  v_titles float8[];
  v_of_document int[];
  v_tokens int[];
  v_recencies float8[];
  v_importances float8[];
begin
  -- Compute features that need reads only for models that use them.
  if 'neighbour_score' = any (wanted) then
    v_neighbours := braid_store.neighbour_sums(request.tenant_id, array(select c.chunk_id from unnest(candidates) c),
                                               array(select c.fused_score from unnest(candidates) c));
  end if;
  if 'word_match' = any (wanted) and v_term_count > 0 then
    v_words := braid_store.word_match(request, candidates);
  end if;
  if 'title_match' = any (wanted) and v_term_count > 0 then
    v_titles := braid_store.title_match(request, candidates);
  end if;
  if wanted && '{document_candidate_count,log_token_count,recency,importance}' then
    select array_agg(k.of_document order by k.place), array_agg(k.token_count order by k.place),
           -- A time may be infinite. The test for null is needed because greatest() and least() ignore nulls.
           array_agg(case when k.occurred_at is not null
                          then c_half / (c_half + least(greatest(least(v_now, k.newest) - k.occurred_at, 0), 1e15)) end
                     order by k.place),
           array_agg(k.importance order by k.place)
    into v_of_document, v_tokens, v_recencies, v_importances
    from (
      select u.ordinality as place, c.token_count, c.importance, c.occurred_at,
             count(*) over (partition by c.document_id)::int as of_document, max(c.occurred_at) over () as newest
      from unnest(candidates) with ordinality u
      left join lateral (
        -- The bounds are the same as in number_field.
        select c.document_id, c.token_count, extract(epoch from c.occurred_at)::float8 as occurred_at,
               case when c.importance is null then null when abs(c.importance) < 1e-9 then 0
                    else least(greatest(c.importance, -1e9), 1e9) end as importance
        from braid_store.chunks c
        where c.tenant_id = request.tenant_id and c.id between u.chunk_id and u.chunk_id
        order by c.id
        offset 0
      ) c on true
    ) k;
  end if;

  return query
  -- The order must be the same as in known_ranking_features.
  select c.ordinality::int,
         array[coalesce(c.full_text_score, 0), coalesce(c.full_text_normalised_score, 0),
               coalesce(1 / c.full_text_rank::float8, 0),
               coalesce(c.semantic_score, 0), coalesce(c.semantic_normalised_score, 0),
               coalesce(1 / c.semantic_rank::float8, 0),
               coalesce(c.sparse_score, 0), coalesce(c.sparse_normalised_score, 0), coalesce(1 / c.sparse_rank::float8,
                 0),
               c.fused_score, c.score, 1 / c.ordinality::float8,
               coalesce(v_neighbours[c.ordinality], 0), coalesce(v_of_document[c.ordinality], 0),
               coalesce(v_words[c.ordinality], 0), coalesce(v_titles[c.ordinality], 0),
               ln(1 + coalesce(v_tokens[c.ordinality], 0)::float8),
               coalesce(v_recencies[c.ordinality], 0),
               coalesce(v_importances[c.ordinality], 0), v_term_count]::float8[]
  from unnest(candidates) with ordinality c;
end
$$;

comment on function braid_store.candidate_features(braid_store.search_request, braid_store.fused_candidate[], text[]) is
  'Return the features of candidates for a ranking model, in the order of known_ranking_features. place: the '
  'candidate''s place in the list. wanted: the features that the model uses; others may be 0. A feature that a '
  'candidate lacks is 0.';
