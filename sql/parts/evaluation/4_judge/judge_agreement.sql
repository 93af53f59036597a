-- role: writer
-- example: braid.judge_agreement(query_set => 'asked', judge => 'second')
-- page: guide/judgments.md#how-far-do-judges-agree
create or replace function braid.judge_agreement(query_set text, judge text, reference text default null)
returns jsonb
language sql
stable
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  select braid_calls.measure_agreement(query_set, judge, reference);
$$;

comment on function braid.judge_agreement(text, text, text) is
  E'Tell how far a judge agrees with another one, by what both have graded with 0 or more.\n'
  'reference: with whom; null: with the median of all others, of two the lower grade. Return an object: judged and '
  'reference_judged (how much each has graded), judged_by_both, equal (the share of equal grades), kappa (Cohen''s), '
  'weighted_kappa (with squared differences), relevant_equal and relevant_kappa (of relevant or not), and grades: '
  'how often which grades meet. Kappa is 1 for perfect agreement, 0 for that of chance, and null where chance alone '
  'would agree always.';
