create or replace function braid_store.choose_model(
  inout options braid_store.search_options,
  tenant_id int,
  collection braid_store.collections,
  legs text
)
language plpgsql
stable
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  v_given jsonb := options.model;
  v_name text := case when v_given is null then collection.parts ->> 'ranking_model' else v_given #>> '{}' end;
begin
  if v_given = 'false' then
    options.model := null;
    return;
  elsif jsonb_typeof(v_given) = 'object' then
    options.model_report := '{"name": null, "state": "used"}';
    return;
  end if;
  options.model := (
    select m.model from braid_store.ranking_models m
    where m.tenant_id = choose_model.tenant_id and m.name = v_name);
  if options.model is null and v_given is not null then
    raise exception 'ranking model "%" does not exist', left(v_name, 255)
      using errcode = '42704',
            hint = 'Store it with braid.store_ranking_model, or see the names with braid.list_ranking_models.';
  end if;
  options.model_report := jsonb_build_object('name', v_name, 'state', case
    when options.model is null then 'missing'
    -- A hybrid search becomes one by full text where there is no vector: scores mean something else then.
    when v_given is null and options.model ->> 'mode' <> legs then 'other_mode'
    else 'used' end);
  if options.model_report ->> 'state' = 'used' then
    options.is_rearranged := true;
  else
    options.model := null;
  end if;
end
$$;

comment on function braid_store.choose_model(braid_store.search_options, int, braid_store.collections, text) is
  'Replaces the option model by the model itself: the one that the option names or is, or else the collection''s. The latter counts '
  'only for tenants that have one of this name, and in searches of the mode that it was learned for. model_report: what stats tell. '
  'Raises 42704 if the option names a model that the tenant does not have.';
