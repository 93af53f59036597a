create or replace function braid_store.choose_far_distance(
  found_distances float8[],
  index_recalls float8[],
  query_count int,
  question_count int,
  most_distance float8,
  out far_distance float8,
  out index_recall float8,
  out suspect_share float8,
  out question_recall float8,
  out again_share float8,
  out relaxed_distance float8
)
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
set jit = off
as $$
#variable_conflict use_column
declare
  -- A window of this many answers with similar distances is accepted if one of them finds hardly anything, or if all
  -- have an index recall slightly below 95 %.
  c_window constant int := 40;
  c_most_missed constant float8 := 1.5;
  -- far_distance is reduced by a tenth, because other queries may have bad answers at slightly smaller distances.
  c_margin constant float8 := 0.1;
begin
  with answer as (
    select u.found, u.index_recall, row_number() over w as place,
           sum(case when u.index_recall < 0.7 then 1 else (1 - u.index_recall) / 2 end)
             over (w rows c_window - 1 preceding) as missed
    from unnest(found_distances, index_recalls) u (found, index_recall)
    window w as (order by u.found, u.index_recall desc)
  ), bad as (
    select min(a.found) as found
    from answer a
    where a.index_recall < 0.9
      and a.place > (select min(b.place) from answer b where b.missed > c_most_missed)
                    - case when a.index_recall < 0.7 then 2 else 1 end * c_window
  )
  select case when b.found is null then max(a.found)
              else coalesce(max(a.found) filter (where a.found < b.found), '-infinity') end
  into far_distance
  from bad b, answer a
  group by b.found;
  if most_distance < 'infinity' then
    far_distance := least(most_distance, far_distance);
  elsif abs(far_distance) < 'infinity' then
    far_distance := far_distance - c_margin * abs(far_distance);
  end if;

  -- Average over queries like real ones: the tenant's own queries, or else the queries near stored vectors; and over
  -- the stored vectors.
  with answer as materialized (
    select u.found, u.index_recall, u.place <= question_count as is_question,
           u.place <= question_count or u.place > query_count as is_usual
    from unnest(found_distances, index_recalls) with ordinality u (found, index_recall, place)
  ), usual as (
    select avg(a.index_recall) filter (where a.found <= far_distance) as index_recall,
           avg((a.found > far_distance)::int) as suspect_share,
           avg(a.index_recall) filter (where a.found <= far_distance and a.is_question) as question_recall,
           avg((a.found > far_distance)::int) filter (where a.is_question) as again_share,
           least(avg(a.index_recall), avg(a.index_recall) filter (where a.is_question)) as usual_recall,
           coalesce(max(a.found) filter (where a.index_recall >= 0.9), '-infinity') as farthest_good
    from answer a
    where a.is_usual
  )
  select u.index_recall, u.suspect_share, u.question_recall, u.again_share,
         -- Most answers are good, but more than 30 % of them are beyond far_distance. Then distances cannot tell bad
         -- answers from good ones among usual queries, for example because a few vectors are almost equal. Answers
         -- that are farther than all good answers of usual queries may still be bad.
         case when u.usual_recall >= 0.985 and u.suspect_share > 0.3
              then case when (select avg(a.index_recall) < 0.97 from answer a where a.found > u.farthest_good)
                        then u.farthest_good else 'infinity' end end
  into index_recall, suspect_share, question_recall, again_share, relaxed_distance
  from usual u;
end
$$;

comment on function braid_store.choose_far_distance(float8[], float8[], int, int, float8) is
  'Choose up to which distance of the tenth vector found answers can be relied on (far_distance), by the distances '
  'and the index recalls of measured answers. The first question_count answers are for queries like real ones, '
  'further answers up to query_count for queries of other kinds, and the others for stored vectors. most_distance: '
  'far_distance is at most this, and then no margin is subtracted. index_recall: the mean up to far_distance, '
  'without queries of other kinds. suspect_share: the share of these answers that is farther. question_recall, '
  'again_share: the same for the questions alone. relaxed_distance: null unless most answers are good and more than '
  '30 % are farther than far_distance. Then it is the distance to use instead: infinity, or as far as good answers '
  'reach if most answers beyond are bad.';
