create or replace function braid_store.extend_record_problem_standing_queries(record jsonb)
returns text
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  v_query_keys text[] := '{collection,name,query_text,match,filters,options,created_at,embedding_model,dimensions,
                           distance,embedding,min_score}';
  v_match_keys text[] := '{collection,name,kind,external_id,chunk_index,matched_at}';
begin
  return case
    when record ? 'standing_query' and (
           not record -> 'standing_query' ?& v_query_keys or (record -> 'standing_query') - v_query_keys <> '{}'
           or jsonb_typeof(record #> '{standing_query,name}') <> 'string'
           or jsonb_typeof(record #> '{standing_query,query_text}') <> 'string')
      then format('does not have all of these keys with valid values: %s', array_to_string(v_query_keys, ', '))
    when record ? 'standing_query_match' and (
           not record -> 'standing_query_match' ?& v_match_keys
           or (record -> 'standing_query_match') - v_match_keys <> '{}')
      then format('does not have all of these keys: %s', array_to_string(v_match_keys, ', '))
  end;
end
$$;

comment on function braid_store.extend_record_problem_standing_queries(jsonb) is
  'Say what is wrong with the form of an exported standing query or match; return null if nothing is.';
