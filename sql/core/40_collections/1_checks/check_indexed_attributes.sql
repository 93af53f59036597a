create or replace function braid_store.check_indexed_attributes(indexed_attributes jsonb)
returns table (name text, type text)
language plpgsql
immutable
parallel safe
security invoker
rows 10
set search_path = pg_catalog, pg_temp
as $$
declare
  c_max_attributes constant int := 32;
  v_wrong record;
begin
  if jsonb_typeof(check_indexed_attributes.indexed_attributes) is distinct from 'object' then
    raise exception 'indexed_attributes is %',
                    coalesce('a JSON ' || jsonb_typeof(check_indexed_attributes.indexed_attributes), 'null')
      using errcode = '22023', hint = 'Send a JSON object such as {"year": "number", "team": "text"}.';
  elsif (select count(*) from jsonb_object_keys(check_indexed_attributes.indexed_attributes)) > c_max_attributes then
    raise exception 'indexed_attributes has more than % keys', c_max_attributes
      using errcode = '22023', hint = 'Declare only the keys that selective filters use. Filters on other keys work '
                                      'without an index.';
  end if;

  select e.key, e.value, r.hint into v_wrong
  from jsonb_each(check_indexed_attributes.indexed_attributes) e,
       lateral (
         select case
                  when e.key in ('speaker', 'category', 'language', 'importance', 'occurred_at', 'external_id',
                    'source_uri')
                    then format('This name is a column. Write a metadata key of this name as "metadata.%s".', e.key)
                  when e.key ^@ '$' then 'Write a metadata key that begins with $ as "metadata.$key".'
                  when octet_length(e.key) > 255 then 'Use a key of at most 255 bytes.'
                  when e.key ^@ 'metadata.'
                       and check_indexed_attributes.indexed_attributes ? regexp_replace(e.key, E'^metadata\\.', '')
                       and regexp_replace(e.key, E'^metadata\\.', '')
                           not in ('speaker', 'category', 'language', 'importance', 'occurred_at', 'external_id',
                             'source_uri')
                    then 'Remove one of the two: this is the same key as the key without "metadata.".'
                  when e.value not in ('"text"', '"number"', '"time"')
                    then 'Use "text", "number", or "time" for ISO 8601 strings, which filters compare as strings.'
                end as hint
         offset 0
       ) r
  where r.hint is not null
  limit 1;
  if found then
    raise exception 'indexed_attributes: % of key % cannot be indexed', left(v_wrong.value::text, 100),
                    to_json(left(v_wrong.key, 100))
      using errcode = '22023', hint = v_wrong.hint;
  end if;

  return query
  select regexp_replace(e.key, E'^metadata\\.', ''), e.value #>> '{}'
  from jsonb_each(check_indexed_attributes.indexed_attributes) e
  order by e.key;
end
$$;

comment on function braid_store.check_indexed_attributes(jsonb) is
  'Return the declared attributes, one row for each: the metadata key, without the prefix "metadata.", and its type. '
  'Raise 22023 for a wrong declaration.';
