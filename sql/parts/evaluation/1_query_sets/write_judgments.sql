-- role: writer, definer
create or replace function braid_calls.write_judgments(query_set text, judgments jsonb)
returns jsonb
language plpgsql
volatile
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set jit = off
as $$
#variable_conflict use_column
declare
  v_tenant_id int := braid_store.tenant_id_for_writing();
  v_query_set braid_store.query_sets := braid_store.find_query_set(v_tenant_id, write_judgments.query_set);
  v_unknown text;
  v_counts jsonb;
begin
  perform braid_store.check_judgments(write_judgments.judgments, v_query_set.level),
          braid_store.lock_query_set(v_tenant_id, write_judgments.query_set);
  select left(g.query_id, 100) into v_unknown
  from (select distinct j.value ->> 'query_id' as query_id
    from jsonb_array_elements(write_judgments.judgments) j offset 0) g
  left join lateral (
    select true as is_there from braid_store.queries q
    where q.tenant_id = v_tenant_id and q.query_set = write_judgments.query_set and q.query_id = g.query_id
    offset 0
  ) q on true
  where q.is_there is null
  order by g.query_id collate "C"
  limit 1;
  if found then
    raise exception 'query "%" is not in query set "%"', v_unknown, left(write_judgments.query_set, 255)
      using errcode = '42704', hint = 'Store the queries first, with braid.store_queries, or leave out the '
                                      'judgments of this query.';
  end if;

  with given as (
    select distinct j.value ->> 'query_id' as query_id, j.value ->> 'external_id' as external_id,
           coalesce((j.value ->> 'chunk_index')::numeric::int, -1) as chunk_index, coalesce(j.value ->> 'judge',
             'default') as judge,
           (j.value ->> 'grade')::numeric::smallint as grade
    from jsonb_array_elements(write_judgments.judgments) j
  ), compared as (
    select g.*, s.grade as old_grade
    from given g
    left join lateral (
      select s.grade from braid_store.judgments s
      where s.tenant_id = v_tenant_id and s.query_set = write_judgments.query_set and s.query_id = g.query_id
        and s.external_id = g.external_id and s.chunk_index = g.chunk_index and s.judge = g.judge
      offset 0
    ) s on true
  ), stored as (
    -- Insert in key order, so that two sessions cannot deadlock.
    insert into braid_store.judgments (tenant_id, query_set, query_id, external_id, chunk_index, judge, grade)
    select v_tenant_id, write_judgments.query_set, c.query_id, c.external_id, c.chunk_index, c.judge, c.grade
    from compared c
    where c.grade is distinct from c.old_grade and c.grade is not null
    order by c.query_id collate "C", c.external_id collate "C", c.chunk_index, c.judge collate "C"
    on conflict on constraint judgments_pkey do update set grade = excluded.grade, updated_at = excluded.updated_at
  ), removed as (
    delete from braid_store.judgments s
    using compared c
    where c.grade is null and c.old_grade is not null
      and s.tenant_id = v_tenant_id and s.query_set = write_judgments.query_set and s.query_id = c.query_id
      and s.external_id = c.external_id and s.chunk_index = c.chunk_index and s.judge = c.judge
  )
  select jsonb_build_object(
           'stored', count(*) filter (where c.grade is not null and c.old_grade is null),
           'replaced', count(*) filter (where c.grade <> c.old_grade),
           'unchanged', count(*) filter (where c.grade = c.old_grade),
           'removed', count(*) filter (where c.grade is null and c.old_grade is not null))
  into v_counts
  from compared c;
  return v_counts;
end
$$;

comment on function braid_calls.write_judgments(text, jsonb) is 'Do the work of braid.store_judgments.';
