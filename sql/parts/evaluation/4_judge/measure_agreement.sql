-- role: writer
create or replace function braid_calls.measure_agreement(query_set text, judge text, reference text)
returns jsonb
language plpgsql
stable
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set jit = off
as $$
#variable_conflict use_column
declare
  v_tenant_id int := braid_store.tenant_id_of_user();
  v_query_set braid_store.query_sets := braid_store.find_query_set(v_tenant_id, measure_agreement.query_set);
  v_agreement record;
begin
  if measure_agreement.judge is null or measure_agreement.judge = measure_agreement.reference then
    raise exception 'judge is %', coalesce('the reference, "' || left(measure_agreement.judge, 255) || '"', 'null')
      using errcode = '22023',
        hint = 'Name two different judges, or leave out reference. braid.list_query_sets lists the judges.';
  end if;
  with graded as materialized (
    select j.query_id, j.external_id, j.chunk_index,
      max(j.grade) filter (where j.judge = measure_agreement.judge)::int as grade,
           percentile_disc(0.5) within group (order by j.grade) filter (
             where j.judge <> measure_agreement.judge
               and (measure_agreement.reference is null
                 or j.judge = measure_agreement.reference))::int as reference_grade
    from braid_store.judgments j
    where j.tenant_id = v_tenant_id and j.query_set = v_query_set.name and j.grade >= 0
    group by j.query_id, j.external_id, j.chunk_index
  ), pairs as materialized (
    select g.grade, g.reference_grade, count(*) as count
    from graded g
    where g.grade is not null and g.reference_grade is not null
    group by g.grade, g.reference_grade
  ), totals as (
    select sum(p.count) as judged_by_both, sum(p.count) filter (where p.grade = p.reference_grade) as equal,
           sum(p.count * (p.grade - p.reference_grade)::numeric ^ 2) as distance,
           sum(p.count) filter (where p.grade > 0) as relevant,
           sum(p.count) filter (where p.reference_grade > 0) as reference_relevant,
           sum(p.count) filter (where (p.grade > 0) = (p.reference_grade > 0)) as relevant_equal,
           -- The expected squared distance if the grades met by chance.
           sum(p.count * p.grade::numeric ^ 2) / sum(p.count)
             + sum(p.count * p.reference_grade::numeric ^ 2) / sum(p.count)
           - 2 * sum(p.count * p.grade) / sum(p.count)
             * sum(p.count * p.reference_grade) / sum(p.count) as chance_distance
    from pairs p
  ), shares as (
    select coalesce(t.judged_by_both, 0) as judged_by_both, coalesce(t.equal, 0) / t.judged_by_both as equal,
           coalesce(t.relevant_equal, 0) / t.judged_by_both as relevant_equal,
             t.distance / t.judged_by_both as distance, t.chance_distance,
           (select sum(a.count * b.count) from (
              select p.grade, sum(p.count) as count from pairs p group by p.grade
            ) a join (
              select p.reference_grade as grade, sum(p.count) as count from pairs p group by p.reference_grade
            ) b using (grade)) / t.judged_by_both ^ 2 as chance_equal,
           (coalesce(t.relevant, 0) * coalesce(t.reference_relevant, 0)
            + (t.judged_by_both - coalesce(t.relevant, 0)) * (t.judged_by_both - coalesce(t.reference_relevant,
              0))) / t.judged_by_both ^ 2 as chance_relevant
    from totals t
  )
  select (select count(g.grade) from graded g) as judged, (select count(g.reference_grade)
    from graded g) as reference_judged,
         s.judged_by_both, s.equal::float8 as equal, s.relevant_equal::float8 as relevant_equal,
         ((s.equal - coalesce(s.chance_equal, 0)) / nullif(1 - coalesce(s.chance_equal, 0), 0))::float8 as kappa,
         (1 - s.distance / nullif(s.chance_distance, 0))::float8 as weighted_kappa,
         ((s.relevant_equal - s.chance_relevant) / nullif(1 - s.chance_relevant, 0))::float8 as relevant_kappa,
         (select coalesce(jsonb_agg(to_jsonb(p) order by p.grade desc, p.reference_grade desc), '[]')
           from pairs p) as grades
  into v_agreement
  from shares s;
  if v_agreement.judged = 0 or v_agreement.reference_judged = 0 then
    raise exception 'query set "%" has no judgments of %', v_query_set.name,
                    case when v_agreement.judged = 0 then format('judge "%s"', left(measure_agreement.judge, 255))
                         else coalesce('judge "' || left(measure_agreement.reference, 255) || '"', 'other judges') end
      using errcode = '22023', hint = 'Choose a judge that braid.list_query_sets lists; grades below 0 do not count.';
  end if;
  return jsonb_build_object('query_set', v_query_set.name, 'judge', measure_agreement.judge,
                            'reference', measure_agreement.reference) || to_jsonb(v_agreement);
end
$$;

comment on function braid_calls.measure_agreement(text, text, text) is 'Do the work of braid.judge_agreement.';
