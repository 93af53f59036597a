create or replace function braid_store.rank_as(inout collection braid_store.collections, ranking jsonb)
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  v_ranking jsonb := rank_as.ranking;
  v_wrong record;
  v_of_parts jsonb;
begin
  if jsonb_typeof(rank_as.ranking) is distinct from 'object' or rank_as.ranking = '{}' then
    raise exception 'ranking is %', case when rank_as.ranking = '{}' then 'empty'
                                         else coalesce('a JSON ' || jsonb_typeof(rank_as.ranking), 'null') end
      using errcode = '22023',
            hint = 'Give an object of settings, such as {"fusion": "convex", "full_text_weight": 0.7}. GET turns '
                   'JSON into a string: use POST.';
  end if;
  if v_ranking ? 'preset' then
    v_ranking := braid_store.ranking_preset(
      v_ranking ->> 'preset',
      coalesce(v_ranking ->> 'fusion', case v_ranking ->> 'preset' when 'rrf' then 'rrf' else collection.fusion end))
      || (v_ranking - 'preset');
  end if;
  select w.* into v_wrong from braid_store.wrong_ranking_setting(v_ranking) w;
  if not v_wrong.is_known then
    raise exception 'ranking has the unknown key "%"', left(v_wrong.key, 100)
      using errcode = '22023',
            hint = v_wrong.hint
                   || case when v_wrong.hint ^@ 'The keys'
                             then ' The key preset (prose, conversation, code or rrf) sets several keys at once. Give '
                                  'an option or an argument of searches with each search instead.'
                           else '' end;
  elsif v_wrong.is_known then
    raise exception 'ranking: % is %', v_wrong.key, left(v_wrong.value::text, 100)
      using errcode = '22023', hint = v_wrong.hint;
  end if;

  if v_ranking ? 'fusion' then
    collection := braid_store.choose_fusion(collection, v_ranking ->> 'fusion');
  end if;
  collection := jsonb_populate_record(collection, v_ranking);
  v_of_parts := (
    select jsonb_object_agg(r.key, r.value)
    from jsonb_each(v_ranking) r
    join braid_store.parts p on p.manifest #> array['settings', r.key] ? 'ranking_hint');
  if v_of_parts is not null then
    collection.parts := braid_store.parts_with(collection.parts, v_of_parts);
  end if;
  if collection.full_text_weight = 0 and collection.semantic_weight = 0 then
    raise exception 'ranking: full_text_weight and semantic_weight are both 0'
      using errcode = '22023', hint = 'Give at least one leg a weight above 0.';
  end if;
end
$$;

comment on function braid_store.rank_as(braid_store.collections, jsonb) is
  'Return a collection with another ranking. Settings that are not given stay, but a fusion of the other kind resets '
  'the weights (see choose_fusion). The key preset stands for the settings of ranking_preset, which other keys '
  'override. Raise 22023 for an unknown key or a wrong value. It does not check whether the names in settings of '
  'parts exist.';
