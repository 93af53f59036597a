create or replace function braid_store.check_metrics(metrics text[])
returns int
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  c_most constant int := 50;
  v_wrong text;
begin
  if (cardinality(check_metrics.metrics) between 1 and c_most) is not true then
    raise exception 'metrics is %', coalesce(left(check_metrics.metrics::text, 100), 'null')
      using errcode = '22023', hint = format('Give 1 to %s names, such as {ndcg@10,recall@100}.', c_most);
  end if;
  select coalesce(m, 'null') into v_wrong
  from unnest(check_metrics.metrics) with ordinality u (m, place)
  where (m ~ ('^((ndcg|map|mrr)(@([1-9][0-9]{0,3}|10000))?'
              '|(recall|precision|success|judged)@([1-9][0-9]{0,3}|10000))$')) is not true
  order by place
  limit 1;
  if found then
    raise exception 'metrics has ''%''', left(v_wrong, 100)
      using errcode = '22023',
            hint = 'Metrics are ndcg@k, map@k, mrr@k, recall@k, precision@k, success@k and judged@k with k from 1 to '
              '10000; ndcg, '
                   'map and mrr without k are over all rows.';
  elsif (select count(distinct m) <> count(*) from unnest(check_metrics.metrics) m) then
    raise exception 'metrics has a name twice: %', left(check_metrics.metrics::text, 100)
      using errcode = '22023', hint = 'Name each metric once.';
  end if;
  return (select max(nullif(split_part(m, '@', 2), '')::int) from unnest(check_metrics.metrics) m);
end
$$;

comment on function braid_store.check_metrics(text[]) is
  'Check metrics of a ranking; raise 22023 for unknown ones. Return the greatest depth (@k) among them; null if all '
  'metrics look at all rows.';
