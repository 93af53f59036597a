create or replace function braid_store.extend_record_problem_reranking(record jsonb)
returns text
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  v_profile_keys text[] := '{profile,embedding,embedding_model,dimensions,distance,attributes,updated_at}';
  v_model_keys text[] := '{name,model,updated_at}';
begin
  return case
    when record ? 'profile' and (
           not record -> 'profile' ?& v_profile_keys or (record -> 'profile') - v_profile_keys <> '{}'
           or jsonb_typeof(record #> '{profile,profile}') <> 'string')
      then format('does not have all of these keys: %s', array_to_string(v_profile_keys, ', '))
    when record ? 'ranking_model' and (
           not record -> 'ranking_model' ?& v_model_keys or (record -> 'ranking_model') - v_model_keys <> '{}'
           or jsonb_typeof(record #> '{ranking_model,name}') <> 'string')
      then format('does not have all of these keys with valid values: %s', array_to_string(v_model_keys, ', '))
  end;
end
$$;

comment on function braid_store.extend_record_problem_reranking(jsonb) is
  'Say what is wrong with the form of an exported profile or ranking model; return null if nothing is.';
