create or replace function braid_store.configure(
  inout collection braid_store.collections,
  settings jsonb,
  is_new boolean
)
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  v_wrong record;
begin
  if jsonb_typeof(configure.settings) is distinct from 'object' then
    raise exception 'settings is %', coalesce('a JSON ' || jsonb_typeof(configure.settings), 'null')
      using errcode = '22023',
            hint = 'Give an object, such as {"overlap_tokens": 20}. GET turns JSON into a string: use POST.';
  end if;
  select s.key, s.value, k.name is not null as is_known, k.can_change, k.hint into v_wrong
  from jsonb_each(configure.settings) s
  left join braid_store.known_collection_settings() k on k.name = s.key
  where k.name is null
     or not (k.can_change or configure.is_new)
     or not case
          when s.value = 'null' then k.is_nullable
          when jsonb_typeof(s.value) <> k.type then false
          when k.type = 'number'
            then case when braid_store.is_number(s.value, k.least_value, k.greatest_value) then s.value::numeric % 1 = 0
                      else false end
          when k.type = 'string' then s.value #>> '{}' = any (k.words)
          when k.type = 'array' then s.value <@ to_jsonb(k.words) and s.value ? 'content'
          else true
        end
  order by s.key
  limit 1;
  if not found then
    collection := jsonb_populate_record(collection, configure.settings);
  elsif not v_wrong.is_known then
    raise exception 'settings has the unknown key "%"', left(v_wrong.key, 100)
      using errcode = '22023',
            hint = coalesce(braid_store.absent_part_hint('settings', v_wrong.key), case
                     when v_wrong.key = 'preset' or exists (select from braid_store.known_ranking_settings() r
                       where r.name = v_wrong.key)
                       then format('It is a setting of the ranking: give it in ranking, or call braid.set_ranking '
                         'with {"%s": ...}. ', v_wrong.key)
                     when v_wrong.key in ('text_config', 'dimensions', 'distance', 'embedding_model', 'chunk_tokens')
                       then 'It is an argument of create_collection. '
                     when v_wrong.key = 'indexed_attributes'
                       then 'It is an argument of create_collection, and set_indexed_attributes changes it. '
                     else '' end
                   || (select 'The keys are: ' || string_agg(k.name, ', ' order by k.name) || '.'
                       from braid_store.known_collection_settings() k));
  elsif not (v_wrong.can_change or configure.is_new) then
    raise exception 'settings: % cannot be changed', v_wrong.key
      using errcode = '22023',
            hint = 'Stored data depends on this setting. Create another collection with the new value, and write '
                   'the documents to that collection.';
  else
    raise exception 'settings: % is %', v_wrong.key, left(v_wrong.value::text, 100)
      using errcode = '22023', hint = v_wrong.hint;
  end if;
end
$$;

comment on function braid_store.configure(braid_store.collections, jsonb, boolean) is
  'Return a collection with some settings changed. is_new: whether the collection is not stored yet; then it also '
  'takes settings that cannot change later. Raise 22023 for an unknown key or a wrong value. check_collection finds '
  'settings that contradict each other.';
