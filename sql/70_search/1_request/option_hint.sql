create or replace function braid_store.option_hint(key text, types jsonb)
returns text
language sql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  select case option_hint.key
    when 'snippet' then 'Give true or false, or an object of highlight''s arguments.'
    when 'language' then 'Give the name of a language, such as german, or its code, de.'
    when 'embedding_model' then 'Give the name of the model that made query_embedding.'
    when 'normalisation' then 'Give a name, such as "centroid", or one per leg: {"full_text": "minmax", "semantic": "centroid"}.'
    when 'boosts' then 'Give an array of boosts, such as [{"recency": {"half_life": "30 days"}}].'
    when 'rerank' then 'Give an array, such as ["similarity", "importance", "recency"].'
    when 'statistics_scope' then 'Use collection or filter.'
    else 'Give ' || replace(replace(replace(replace(
           (select string_agg(t.value, ' or ' order by t.place)
            from jsonb_array_elements_text(option_hint.types) with ordinality t (value, place)),
           'boolean', 'true or false'), 'number', 'a number'), 'array', 'an array'), 'object', 'an object') || '.'
  end;
$$;

comment on function braid_store.option_hint(text, jsonb) is
  'What to give for a search''s option of these JSON types.';
