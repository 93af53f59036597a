create or replace function braid_store.demand_test(conditions braid_store.query_condition[])
returns text
language sql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  select coalesce(
    string_agg(case when g.is_excluded then 'not ' else '' end || '(' || g.test || ')', ' and '
               -- Phrases come last, because testing them takes ten times as long.
               order by g.has_phrase, g.group_number, g.is_excluded),
    'true')
  from (
    select c.group_number, c.is_excluded, bool_or(cardinality(c.lexemes) > 1) as has_phrase,
           string_agg(case when c.is_prefix then format('strpos(f.words, %L) > 0', ' ' || c.lexemes[1])
                           when cardinality(c.lexemes) = 1 then format('strpos(f.words, %L) > 0', ' ' || c.lexemes[1]
                             || ' ')
                           else braid_store.phrase_test(c.lexemes, c.offsets) end, ' or '
                      order by cardinality(c.lexemes)) as test
    from unnest(demand_test.conditions) c
    group by c.group_number, c.is_excluded
  ) g;
$$;

comment on function braid_store.demand_test(braid_store.query_condition[]) is
  'Return conditions as an SQL test of a forward row with the alias f; true if there are no conditions. f has the '
  'columns lexemes, position_ends, positions and words. words is the text of the lexemes with a space before and '
  'after each.';
