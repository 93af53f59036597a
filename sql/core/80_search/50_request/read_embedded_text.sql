-- role: reader
create or replace function braid_calls.read_embedded_text(query_text text, options jsonb, collection text)
returns text
language plpgsql
stable
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set jit = off
as $$
declare
  v_collection braid_store.collections;
  v_options braid_store.search_options;
begin
  perform braid_store.require_tenant_id();
  v_options := braid_store.read_search_options(read_embedded_text.options);
  v_collection := braid_store.find_collection(read_embedded_text.collection);
  if v_options.ranking is not null then
    perform braid_store.try_ranking(v_collection, v_options.ranking); -- refuses rankings that the search would refuse
  end if;
  perform braid_store.check_query_text(read_embedded_text.query_text);
  if read_embedded_text.query_text is null then
    return null;
  elsif v_options.operators then
    perform braid_store.refuse_list(read_embedded_text.query_text);
  end if;
  return braid_store.asked_text(read_embedded_text.query_text, v_options.operators,
                                braid_store.language_config(v_options.language, v_collection.text_config));
end
$$;

comment on function braid_calls.read_embedded_text(text, jsonb, text) is 'Do the work of braid.embedded_text.';
