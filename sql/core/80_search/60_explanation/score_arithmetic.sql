create or replace function braid_store.score_arithmetic(
  found braid_store.search_result,
  fusion jsonb,
  spread jsonb,
  explanations jsonb,
  is_named boolean
)
returns text
language sql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
set extra_float_digits = 1
as $$
  with leg as (
    select l.place,
           case when fusion ->> 'fusion' = 'rrf' then
                  case when is_named then format('%s_weight / (rrf_k + %s_rank)', l.name, l.name)
                       else format('%s / (%s + %s)', l.weight, fusion ->> 'rrf_k', l.rank) end
                when is_named then format('%s_weight * %s_normalised_score', l.name, l.name)
                else format('%s * %s', l.weight, l.normalised)
           end as share
    from (values
      (1, 'full_text', fusion #>> '{weights,full_text}', found.full_text_rank, found.full_text_normalised_score),
      (2, 'semantic', fusion #>> '{weights,semantic}', found.semantic_rank, found.semantic_normalised_score),
      (3, 'sparse', fusion #>> '{weights,sparse}', found.sparse_rank, found.sparse_normalised_score)
    ) l (place, name, weight, rank, normalised)
    where l.normalised is not null and not (fusion ->> 'fusion' = 'max' and l.weight::float8 = 0)
  ), fused as (
    select case when fusion is null then case when is_named then 'fused_score' else found.fused_score::text end
                when fusion ->> 'fusion' = 'max' and count(*) > 1
                  then format('max(%s)', string_agg(l.share, ', ' order by l.place))
                else coalesce(string_agg(l.share, ' + ' order by l.place), '0') end as sum
    from leg l
  ), beside as (
    select f.sum || coalesce(string_agg(case when is_named then format(' + %s * %s', s.weight, s.name)
                                             else format(' + %s * %s', spread ->> s.weight, s.value) end,
                                        '' order by s.place) filter (where s.value is not null), '') as sum
    from fused f
    left join (
      select n.place, n.weight, n.name, spread #>> array['chunks', found.chunk_id::text, n.name] as value
      from (values (1, 'neighbour_weight', 'neighbours'), (2, 'document_weight', 'best_of_document'))
             n (place, weight, name)
    ) s on s.value is not null
    group by f.sum
  ), shared as (
    select case when c.nearest is null then b.sum
                when is_named then format('(1 - smoothing) * (%s) + smoothing * nearest', b.sum)
                else format('%s * (%s) + %s * %s', 1 - (spread ->> 'smoothing')::float8, b.sum, spread ->> 'smoothing',
                            c.nearest) end as sum,
           coalesce(c.score, found.fused_score) as score
    from beside b,
         (select spread #>> array['chunks', found.chunk_id::text, 'nearest'] as nearest,
                 (spread #>> array['chunks', found.chunk_id::text, 'score'])::float8 as score) c
  ), boost as (
    select string_agg(' * ' || case when is_named and b.value ? 'factor' then 'boost_' || b.place
      else b.value ->> 'factor' end, ''
                      order by b.place) as factors,
           string_agg(' + ' || case when is_named and b.value ? 'addend' then 'boost_' || b.place
             else b.value ->> 'addend' end, ''
                      order by b.place) as addends,
           string_agg(case when is_named then format('weight_%s * signal_%s', b.place, b.place)
                           else format('%s * %s', b.value ->> 'weight', b.value ->> 'normalised_value') end,
                             ' + ' order by b.place)
             filter (where b.value ? 'weight') as signals,
           -- At most one boost moves the score by a share towards a value of its own.
           max(b.value ->> 'signal') filter (where b.value ? 'share') as signal,
           max((b.value ->> 'share')::float8) filter (where b.value ->> 'normalised_value' is not null) as share,
           max((b.value ->> 'normalised_value')::float8) filter (where b.value ? 'share') as normalised,
           max((b.value ->> 'score')::float8) filter (where b.value ? 'share') as score
    from jsonb_array_elements(found.boosts) with ordinality b (value, place)
  ), mixed as (
    select case when b.normalised is null then s.sum
                -- max() keeps rounding from lowering the score below the boost's value.
                when b.score = b.normalised
                  then format('max(%s, (%s) + %s * (%s - (%s)))', l.similarity, s.sum, l.share, l.similarity, s.sum)
                else format('(%s) + %s * (%s - (%s))', s.sum, l.share, l.similarity, s.sum) end as sum,
           coalesce(b.score, s.score) as score
    from shared s, boost b,
         lateral (select case when is_named then b.signal else b.normalised::text end as similarity,
                         case when is_named then b.signal || '_weight' else b.share::text end as share) l
  ), summed as (
    -- At most one part has replaced the score. Its score is between 0 and 1, computed from the part's sum as
    -- extend_explanation describes.
    select case when e.value is null then m.sum
                when (e.value ->> 'sum')::float8 < 0 then format('0.5 / (1 - (%s))', o.sum)
                else format('1 - 0.5 / (1 + (%s))', o.sum) end as sum,
           coalesce((e.value ->> 'score')::float8, m.score) as score
    from mixed m
    left join jsonb_each(explanations) e on e.value ? 'arithmetic'
    cross join lateral (select case when is_named then e.key || '_sum' else e.value ->> 'arithmetic' end as sum) o
  )
  select case when b.signals is null and b.factors is null and b.addends is null then s.sum
              when b.signals is not null then concat(format('(%s)', b.signals), b.factors, b.addends)
              else concat(case when s.score < 1e-150 then '0' else format('(%s)', s.sum) end, b.factors, b.addends)
         end
  from summed s, boost b;
$$;

comment on function braid_store.score_arithmetic(braid_store.search_result, jsonb, jsonb, jsonb, boolean) is
  'Write the score of a row as an arithmetic expression, which gives the score to the last bit in double precision. '
  'It has the shares of the legs and what neighbours added, or the signals that rows are ranked by; then the boosts. '
  'found: the row. fusion: the report of braid_store.rank_found; null if only one leg was searched. spread: the '
  'report of braid_store.spread_candidates; null if neighbours shared nothing. explanations: what extend_explanation '
  'returned for the row, by name; null if it returned nothing. is_named: whether the expression has the names of '
  'numbers in place of their values.';
