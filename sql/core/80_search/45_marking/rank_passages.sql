create or replace function braid_store.rank_passages(
  text_numbers int[],
  steps int[],
  terms int[],
  fragment_words int
)
returns table (text_number int, starts int[], ends int[])
language plpgsql
immutable
parallel safe
security invoker
rows 10
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set jit = off
as $$
#variable_conflict use_column
begin
  return query
  with matches as materialized (
    select m.text_number, m.step, m.term,
      -- The first step at which a passage can begin so that this match is its first match of the term.
      greatest(lag(m.step) over (partition by m.text_number, m.term order by m.step) + 1,
               m.step - rank_passages.fragment_words + 1) as first_start
    from unnest(rank_passages.text_numbers, rank_passages.steps, rank_passages.terms) as m (text_number, step, term)
  ), passages as (
    -- For the passage that begins at each match: the number of its matches, and the step of the last match.
    select distinct m.text_number, m.step as start, count(*) over later as match_count,
      last_value(m.step) over later as end
    from matches m
    window later as (
      partition by m.text_number order by m.step
      range between current row and (rank_passages.fragment_words - 1) following
    )
  ), changes as (
    -- The number of different terms of each passage is a running sum over the steps at which passages begin. A match
    -- adds one to the passages that begin from first_start to the match's own step.
    select m.text_number, m.first_start as step, count(*) as change from matches m group by 1, 2
    union all
    select m.text_number, m.step + 1, -count(*) from matches m group by 1, 2
    union all
    select p.text_number, p.start, 0 from passages p
  ), term_counts as (
    select distinct c.text_number, c.step, sum(c.change) over (partition by c.text_number order by c.step) as term_count
    from changes c
  )
  select p.text_number,
    array_agg(p.start order by t.term_count desc, p.match_count desc, p.start),
    array_agg(p.end order by t.term_count desc, p.match_count desc, p.start)
  from passages p
  join term_counts t on t.text_number = p.text_number and t.step = p.start
  group by p.text_number;
end
$$;

comment on function braid_store.rank_passages(int[], int[], int[], int) is
  'Rank the passages that begin with a match, best first, for each text: most different terms, then most matches, '
  'then the earliest. text_numbers, steps and terms are parallel: the text, the step and the term of every match, '
  'each match once. A step is a segment that counts as a word, and a passage is fragment_words steps long. starts, '
  'ends: the steps of the first and the last match of each passage.';
