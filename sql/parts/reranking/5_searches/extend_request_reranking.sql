create or replace function braid_store.extend_request_reranking(inout request braid_store.search_request)
language plpgsql
stable
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  v_options jsonb := (request.options).parts;
  v_profile record;
  v_model record;
begin
  if v_options ? 'late_interaction' then
    request.parts := coalesce(request.parts, '{}') || jsonb_build_object(
      'late_interaction', braid_store.prepare_token_vectors(v_options -> 'late_interaction', request.collection));
    v_options := v_options - 'late_interaction';
  end if;
  if v_options ? 'ranking_model' or (request.collection).parts ? 'ranking_model' then
    -- A ranking model of mode hybrid was not learned on sparse terms with only one of the other two legs.
    v_model := braid_store.choose_ranking_model(
      v_options -> 'ranking_model', request.tenant_id, request.collection,
      case when request.legs = 'hybrid' and (request.sparse).terms is not null
                and (request.query_text = '' or request.query_embedding is null) then 'sparse' else request.legs end);
    v_options := coalesce(v_options, '{}') - 'ranking_model';
    if v_model.report is not null then
      v_options := v_options || jsonb_build_object('ranking_model', v_model.report);
    end if;
    if v_model.model is not null then
      request.parts := coalesce(request.parts, '{}') || jsonb_build_object(
        'ranking_model', jsonb_build_object('name', v_model.report -> 'name', 'model', v_model.model));
      request.options.is_rearranged := true;
    end if;
  end if;
  if v_options ? 'profile' then
    v_profile := braid_store.compile_profile(v_options -> 'profile', request.tenant_id, request.collection);
    request.boosts := request.boosts || v_profile.boosts;
    v_options := v_options || jsonb_build_object('profile', v_profile.report);
  end if;
  request.options.parts := nullif(v_options, '{}');
end
$$;

comment on function braid_store.extend_request_reranking(braid_store.search_request) is
  E'Prepare a search by late interaction, a ranking model or a profile.\n'
  'The query''s token vectors and the model go into parts, and the states of ranking_model and profile into parts of '
  'the options. A profile''s boosts are appended to the existing boosts.';
