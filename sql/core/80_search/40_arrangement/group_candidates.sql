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
-- Without sorting, the planner must use the primary key for the ordered look-ups below. On a small table, other indexes
-- that begin with the tenant seem as cheap, but each look-up would read all of the tenant's rows.
set enable_sort = off
set enable_bitmapscan = off
as $$
declare
  c_key constant text := regexp_replace(group_by, E'^metadata\\.', '');
  c_path constant text[] := string_to_array(c_key, '.');
  -- The weight of the best chunk in a mixture; the mean has the rest. Callan 1994, "Passage-level evidence in document
  -- retrieval", mixes the scores of the best passage and the whole document in this way.
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
               -- The bounds undo rounding errors, so that groups of equal scores get equal means.
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
  'Group chunks, which come best first, and return the best group_size of each group, with groups in the order of '
  'their scores. group_score decides a group''s score: the max, sum or mean of its returned chunks'' scores, or '
  'mixture. mixture is 0.6 × max + 0.4 × the mean of all given chunks of the group. places are the places of the '
  'returned chunks among the given ones. units are the numbers of their groups, from 1. unit_scores are the scores '
  'of these groups.';
