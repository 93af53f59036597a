create or replace function braid_store.extend_warnings_reranking(stats jsonb)
returns table (code text, message text)
language plpgsql
immutable
parallel safe
security invoker
rows 1
set search_path = pg_catalog, pg_temp
as $$
begin
  return query
  select w.code, w.message
  from (values
    ('candidates_without_token_vectors', (stats ->> 'candidates_without_token_vectors')::int > 0,
     format('%s of the chunks that late interaction ranks have no token vectors of the collection''s model; they keep '
       'their score.',
            stats ->> 'candidates_without_token_vectors')),
    ('profile_of_other_model', stats #>> '{profile,embedding}' = 'other_model',
     format('The vector of profile "%s" is of another model than the collection''s searches, so it is ignored: '
            'learn or set the profile again.', stats #>> '{profile,name}'))
  ) w (code, is_given, message)
  where w.is_given;
end
$$;

comment on function braid_store.extend_warnings_reranking(jsonb) is
  'Return warnings about candidates without token vectors, and about a profile whose vector is ignored.';
