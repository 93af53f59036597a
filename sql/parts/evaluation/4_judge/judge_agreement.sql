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
  E'Tell how far a judge agrees with another one, on the results that both have graded with 0 or more.\n'
  'judge: the name of the judge. reference: the other judge; null takes the median of all other judges'' grades, the '
  'lower of two.\n'
  'Return an object with judged and reference_judged (how many results each has graded), judged_by_both, and equal '
  '(the share of equal grades). Cohen''s kappa is in kappa; weighted_kappa uses squared differences. relevant_equal '
  'and relevant_kappa only tell relevant from not relevant. grades has the number of times that each pair of grades '
  'occurs. Kappa is 1 for perfect agreement, 0 for agreement by chance, and null where chance alone would always '
  'agree.';
