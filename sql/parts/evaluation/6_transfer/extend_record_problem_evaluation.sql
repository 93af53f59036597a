create or replace function braid_store.extend_record_problem_evaluation(record jsonb)
returns text
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  v_query_set_keys text[] := '{query_set,level,description,created_at}';
  v_query_keys text[] := '{query_set,query_id,text,filters,updated_at,embeddings,judgments}';
begin
  return case
    when record ? 'query_set' and (
           not record -> 'query_set' ?& v_query_set_keys or (record -> 'query_set') - v_query_set_keys <> '{}'
           or jsonb_typeof(record #> '{query_set,query_set}') <> 'string'
           or record #>> '{query_set,level}' not in ('document', 'chunk')
           or jsonb_typeof(record #> '{query_set,description}') <> 'string')
      then format('does not have all of these keys with valid values: %s', array_to_string(v_query_set_keys, ', '))
    when record ? 'query' and (
           not record -> 'query' ?& v_query_keys or (record -> 'query') - v_query_keys <> '{}'
           or jsonb_typeof(record #> '{query,query_set}') <> 'string'
           or jsonb_typeof(record #> '{query,embeddings}') <> 'array'
           or jsonb_typeof(record #> '{query,judgments}') <> 'array')
      then format('does not have all of these keys with valid values: %s', array_to_string(v_query_keys, ', '))
  end;
end
$$;

comment on function braid_store.extend_record_problem_evaluation(jsonb) is
  'Say what is wrong with the form of an exported query set or query; return null if nothing is.';
