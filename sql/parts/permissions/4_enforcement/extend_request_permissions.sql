create or replace function braid_store.extend_request_permissions(inout request braid_store.search_request)
language plpgsql
stable
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  -- All chunks that the session may read are counted.
  c_most_chunks constant int := 2147483646;
  v_filter braid_store.filter;
  v_part record;
begin
  if ((request.collection).parts -> 'permissions')::boolean is not true or request.query_text = '' then
    return;
  end if;
  if (request.filter).is_empty or braid_calls.sees_all() then
    return;
  end if;
  -- Hidden chunks may have the words that seem to be absent, and the others.
  request.query.terms := (request.query).terms || (request.query).absent_terms;
  if (request.collection).statistics_scope = 'permitted' and cardinality((request.query).lexemes) > 0 then
    v_filter := braid_store.extend_filter_permissions(braid_store.no_filter(), request.tenant_id,
                                                      (request.collection).id);
    v_part := braid_store.scope_statistics(request.tenant_id, request.collection, request.query, v_filter,
                                           c_most_chunks);
    request.query := v_part.scoped;
    request.scope_chunks := v_part.chunk_count;
  end if;
end
$$;

comment on function braid_store.extend_request_permissions(braid_store.search_request) is
  'Report the words of a query alike whether hidden chunks have them or none has, if the session does not read all. '
  'With statistics_scope permitted, count words in the chunks that it may read.';
