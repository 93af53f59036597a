-- role: writer
-- example: braid.judgments_from_clicks(query_set => 'asked', collection => 'small')
-- page: guide/judgments.md#judge-by-clicks
create or replace function braid.judgments_from_clicks(
  query_set text,
  collection text default 'default',
  since timestamptz default null,
  min_impressions float8 default 5,
  eta float8 default 1,
  judge text default 'clicks'
)
returns jsonb
language sql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  select braid_calls.store_click_judgments(query_set, collection, since, min_impressions, eta, judge);
$$;

comment on function braid.judgments_from_clicks(text, text, timestamptz, float8, float8, text) is
  E'Make judgments of the queries of a query set from clicks on results of logged searches.\n'
  'min_impressions: documents with fewer impressions, counted as below, get no grade. eta: how fast attention falls '
  'with the rank, 0 to 3; 1 as in Joachims et al. 2017. since: use only searches from then on. judge: the judge to '
  'whom the judgments are attributed.\n'
  'A document at a high rank gets clicks because of its rank. So each display at a rank counts as 1 / rank ^ eta '
  'impressions, the propensity that a user looks there. The rate of a document is its clicks (and used_in_answer) '
  'divided by its impressions. A rate of 0.5 or more is grade 3, of 0.2 is 2, of 0.05 is 1, and a lower rate is 0. '
  'Return an object with stored, replaced, unchanged, removed, searches (how many count) and left_out (pairs with '
  'too few impressions).';
