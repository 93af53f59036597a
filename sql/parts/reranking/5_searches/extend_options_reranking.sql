create or replace function braid_store.extend_options_reranking(inout options jsonb)
language plpgsql
immutable
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
begin
  if options ? 'late_interaction' then
    options := options || jsonb_build_object(
      'late_interaction', braid_store.read_late_interaction_option(options -> 'late_interaction'));
  end if;
  if options ? 'profile' then
    options := options || jsonb_build_object('profile', braid_store.read_profile_option(options -> 'profile'));
  end if;
  if options ? 'ranking_model' then
    perform braid_store.check_ranking_model_option(options -> 'ranking_model');
  end if;
end
$$;

comment on function braid_store.extend_options_reranking(jsonb) is
  'Check late_interaction, profile and ranking_model, and return them with their defaults. extend_request_reranking '
  'checks them against the collection.';
