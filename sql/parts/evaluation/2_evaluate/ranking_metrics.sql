create or replace function braid_store.ranking_metrics(grades int[], judged int[], metrics text[])
returns float8[]
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  -- A grade above 0 is relevant, as in trec_eval.
  v_relevant_count int := (select count(*) from unnest(ranking_metrics.judged) j where j > 0);
  v_metric text;
  v_depth int;
  v_ranked int[];
  v_values float8[] := '{}';
begin
  foreach v_metric in array ranking_metrics.metrics loop
    v_depth := nullif(split_part(v_metric, '@', 2), '')::int;
    v_ranked := grades[:coalesce(v_depth, cardinality(grades))];
    v_values := v_values || coalesce(case split_part(v_metric, '@', 1)
      when 'ndcg' then (
        select sum(u.grade / (ln(u.place + 1) / ln(2::float8)) order by u.place)
        from unnest(v_ranked) with ordinality u (grade, place)
        where u.grade > 0
      ) / (
        select sum(i.grade / (ln(i.place + 1) / ln(2::float8)) order by i.place)
        from (select j, row_number() over (order by j desc) from unnest(judged) j where j > 0) i (grade, place)
        where i.place <= coalesce(v_depth, i.place)
      )
      when 'recall' then (select count(*) from unnest(v_ranked) g where g > 0) / nullif(v_relevant_count, 0)::float8
      when 'precision' then (select count(*) from unnest(v_ranked) g where g > 0) / v_depth::float8
      when 'judged' then (select count(*) from unnest(v_ranked) g where g >= 0) / v_depth::float8
      when 'success' then (select bool_or(g > 0)::int from unnest(v_ranked) g)
      when 'mrr' then (
        select 1 / min(u.place)::float8 from unnest(v_ranked) with ordinality u (grade, place) where u.grade > 0
      )
      when 'map' then (
        select sum(p.found / p.place::float8 order by p.place)
        from (
          select u.place, row_number() over (order by u.place) as found
          from unnest(v_ranked) with ordinality u (grade, place)
          where u.grade > 0
        ) p
      ) / nullif(v_relevant_count, 0)
    end, 0);
  end loop;
  return v_values;
end
$$;

comment on function braid_store.ranking_metrics(int[], int[], text[]) is
  'Return metrics of a ranking, defined as in trec_eval. grades: the grades of the rows in their order, null for '
  'rows not judged. judged: the grades of all documents or chunks judged for the query. Gains of nDCG are linear. A '
  'grade above 0 is relevant; a grade below 0 counts as not judged.';
