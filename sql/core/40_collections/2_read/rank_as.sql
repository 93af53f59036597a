create or replace function braid_store.rank_as(inout collection braid_store.collections, ranking jsonb)
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  v_wrong record;
  v_of_parts jsonb;
begin
  if jsonb_typeof(rank_as.ranking) is distinct from 'object' or rank_as.ranking = '{}' then
    raise exception 'ranking is %', case when rank_as.ranking = '{}' then 'empty'
                                         else coalesce('a JSON ' || jsonb_typeof(rank_as.ranking), 'null') end
      using errcode = '22023',
            hint = 'Give an object of settings, such as {"fusion": "convex", "full_text_weight": 0.7}. GET makes a string of it: use POST.';
  end if;
  select w.* into v_wrong from braid_store.wrong_ranking_setting(rank_as.ranking) w;
  if not v_wrong.is_known then
    raise exception 'ranking has the unknown key "%"', left(v_wrong.key, 100)
      using errcode = '22023',
            hint = case when v_wrong.key in ('match_count', 'filters', 'candidate_count', 'min_score', 'match', 'mode', 'options', 'boosts',
                                             'ef_search', 'exact', 'model', 'profile', 'rank_by', 'min_relevance', 'saturate_at')
                        then format('A collection has no %s: give it with each search. ', v_wrong.key) else '' end
                   || v_wrong.hint;
  elsif v_wrong.is_known then
    raise exception 'ranking: % is %', v_wrong.key, left(v_wrong.value::text, 100)
      using errcode = '22023', hint = v_wrong.hint;
  end if;

  if rank_as.ranking ? 'fusion' then
    collection := braid_store.choose_fusion(collection, rank_as.ranking ->> 'fusion');
  end if;
  collection := jsonb_populate_record(collection, rank_as.ranking);
  v_of_parts := (
    select jsonb_object_agg(r.key, r.value)
    from jsonb_each(rank_as.ranking) r
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
  'Returns a collection with another ranking: settings that are not given stay, but for the weights if the fusion is of another kind '
  '(choose_fusion). Raises 22023 for what is no ranking. Whether what names of parts name is there is not checked here.';
