create or replace function braid_store.group_candidates(
  tenant_id int,
  chunk_ids bigint[],
  scores float8[],
  group_by text,
  group_size int,
  group_score text,
  out places int[],
  out units int[],
  out unit_scores float8[]
)
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set jit = off
-- Only the key gives the order by which rows are looked up below. Other indexes that begin with the tenant seem as good
-- while the table is small, and all of the tenant's rows would be read for each.
set enable_sort = off
set enable_bitmapscan = off
as $$
declare
  c_key constant text := regexp_replace(group_by, E'^metadata\\.', '');
  c_path constant text[] := string_to_array(c_key, '.');
  -- What the best chunk counts in a mixture, beside the mean. A document's score made of that of its best passage and
  -- that of the whole: Callan 1994, "Passage-level evidence in document retrieval".
  c_best_weight constant float8 := 0.6;
begin
  select coalesce(array_agg(o.place order by o.unit, o.place), '{}'),
         coalesce(array_agg(o.unit order by o.unit, o.place), '{}'),
         coalesce(array_agg(o.score order by o.unit, o.place), '{}')
  into places, units, unit_scores
  from (
    select s.place, s.score, dense_rank() over (order by s.score desc, s.first_place)::int as unit
    from (
      select k.place, min(k.place) over best as first_place,
             case group_candidates.group_score when 'max' then max(k.score) over best
                                               when 'sum' then sum(k.score) over best
                                               when 'mixture' then max(k.mean) over best + c_best_weight
                                                                   * (max(k.score) over best - max(k.mean) over best)
                                               else avg(k.score) over best end as score
      from (
        select g.*, row_number() over (partition by g.key, g.alone order by g.place) as number,
               -- Not beyond them by rounding: groups of equal scores are equal.
               least(greatest(avg(g.score) over whole, min(g.score) over whole), max(g.score) over whole) as mean
        from (
          -- A chunk without a value is a group of its own.
          select u.place::int, u.score, c.key, case when c.key is null then u.place end as alone
          from unnest(group_candidates.chunk_ids, group_candidates.scores) with ordinality u (chunk_id, score, place),
               lateral (
                 select case group_candidates.group_by
                          when 'document' then to_jsonb(c.document_id)
                          when 'speaker' then to_jsonb(c.speaker)
                          when 'category' then to_jsonb(c.category)
                          when 'language' then to_jsonb(c.language)
                          when 'importance' then to_jsonb(c.importance)
                          when 'source_uri' then (
                            select to_jsonb(d.source_uri) from braid_store.documents d
                            where d.tenant_id = group_candidates.tenant_id and d.id between c.document_id
                              and c.document_id
                            order by d.id)
                          else nullif(coalesce(c.metadata -> c_key, c.metadata #> c_path), 'null')
                        end as key
                 from braid_store.chunks c
                 where c.tenant_id = group_candidates.tenant_id and c.id between u.chunk_id and u.chunk_id
                 order by c.id
                 offset 0
               ) c
        ) g
        window whole as (partition by g.key, g.alone order by g.place
                         rows between unbounded preceding and unbounded following)
      ) k
      where k.number <= group_candidates.group_size
      window best as (partition by k.key, k.alone order by k.place
                      rows between unbounded preceding and unbounded following)
    ) s
  ) o;
end
$$;

comment on function braid_store.group_candidates(int, bigint[], float8[], text, int, text) is
  'Group chunks, given best first, and return the best group_size of each group, groups in the order of their '
  'scores. group_score: a group''s score is the max, sum or mean of the scores of these chunks, or the mixture .6 × '
  'max + .4 × the mean of all chunks of the group that were given, shown or not. places: where the chunks stand '
  'among those given; units: the number of each one''s group, from 1; unit_scores: that group''s score.';
