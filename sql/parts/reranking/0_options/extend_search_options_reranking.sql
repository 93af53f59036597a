-- Made of options.json by: make generate
create or replace function braid_store.extend_search_options_reranking()
returns table (
  name text, types text[], part text, attribute text, least_value float8, greatest_value float8, words text[], hint text
)
language plpgsql
immutable
parallel safe
security invoker
rows 60
set search_path = pg_catalog, pg_temp
as $$
begin
  return query
  values
    ('profile', '{string,object}'::text[], 'boosts', null::text, null::float8, null::float8, null::text[],
     'Give the name of a profile, or an object: {"name": "ana", "weight": 0.2}.'),
    ('ranking_model', '{string,object,boolean}', 'boosts', null, null, null, null,
     'Give the name of a ranking model, or the model itself, or false for none.'),
    ('model', '{}', null, null, null, null, null, '{"ranking_model": "?"}'),
    ('late_interaction', '{object}', 'tokens', null, null, null, null,
     'Give the vectors of the query''s tokens: {"vectors": [[0.1, …], …]}. candidates and weight are optional.');
end
$$;

comment on function braid_store.extend_search_options_reranking() is
  'List the options of searches that the part adds, as known_search_options does.';
