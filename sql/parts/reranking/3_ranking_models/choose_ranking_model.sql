create or replace function braid_store.choose_ranking_model(
  given jsonb,
  tenant_id int,
  collection braid_store.collections,
  legs text,
  out model jsonb,
  out report jsonb
)
language plpgsql
stable
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  v_name text := case when given is null then collection.parts ->> 'ranking_model' else given #>> '{}' end;
begin
  if given = 'false' or v_name is null then
    return;
  elsif jsonb_typeof(given) = 'object' then
    model := given;
    report := '{"name": null, "state": "used"}';
    return;
  end if;
  model := (
    select m.model from braid_store.ranking_models m
    where m.tenant_id = choose_ranking_model.tenant_id and m.name = v_name);
  if model is null and given is not null then
    raise exception 'ranking model "%" does not exist', left(v_name, 255)
      using errcode = '42704',
            hint = 'Store it with braid.store_ranking_model, or see the names with braid.list_ranking_models.';
  end if;
  report := jsonb_build_object('name', v_name, 'state', case
    when model is null then 'missing'
    -- Without a vector, a hybrid search becomes a full-text search, and its scores mean something else.
    when given is null and model ->> 'mode' <> legs then 'other_mode'
    else 'used' end);
  if report ->> 'state' <> 'used' then
    model := null;
  end if;
end
$$;

comment on function braid_store.choose_ranking_model(jsonb, int, braid_store.collections, text) is
  'Return the ranking model for a search: the model that the option ranking_model names or contains, or else the '
  'collection''s. The collection''s model only counts if the tenant has a model of this name, and the search has the '
  'mode that it was learned for. given: the option; null if it is not given. report: the state for the stats; null '
  'without a model. Raise 42704 if the option names a model that the tenant does not have.';
