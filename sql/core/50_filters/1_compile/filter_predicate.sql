-- The filter language follows MongoDB's and Pinecone's:
--
--   {"speaker": "Ana", "year": {"$gte": 2020, "$lt": 2024}, "$or": [{"tags": "a"}, {"author.name": {"$in": ["b"]}}]}
--
-- A chunk must meet all keys of an object and all operators of a key. Keys are case-sensitive:
--
--   speaker, category, language, external_id and source_uri hold text, importance numbers, occurred_at timestamps;
--   any other key is a metadata key. A dotted key leads into nested objects, and into lists of objects, unless metadata
--   has this very key at its top level. The prefix "metadata." reaches metadata keys named like a column or beginning
--   with "$".
--
-- Operators are $eq (also written {key: value}), $ne, $gt, $gte, $lt, $lte, $between, $in, $nin, $all, $like, $ilike,
-- $exists, $not, $and and $or. Their semantics are MongoDB's where Pinecone documents none (it changed what $ne does
-- with missing keys):
--
-- - A missing key fails $eq, $in, ranges and patterns, and matches $ne, $nin and $not of these.
-- - null means missing, both in metadata and in filters: {"speaker": null} means {"speaker": {"$exists": false}}.
-- - All operators look into a list in metadata: {"tags": "a"} matches {"tags": ["a", "b"]}. They do not look into a
--   list inside a list.
-- - Different elements may meet different operators, but one element must meet all bounds of a range, as in Qdrant.
-- - Ranges compare numbers with numbers and strings with strings, by code point, so ISO dates compare as dates.
-- - For occurred_at, a date alone means its whole day.
-- - speaker matches any speaker of a chunk that was made from turns.
-- - A stored value of another type than the operand is no match, never an error. 1 equals 1.0.
create or replace function braid_store.filter_predicate(filters jsonb, tenant_id int, collection_id int)
returns text
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  c_max_bytes constant int := 1000000;
begin
  if filters is null or filters in ('null', '{}') then
    return 'true';
  end if;
  if jsonb_typeof(filters) = 'string' then
    raise exception 'filters must be a JSON object, not the string %', left(filters::text, 100)
      using errcode = '22023',
            hint = 'Send the object itself, e.g. {"speaker": "Ana"}, not a string that holds it: leave out '
                   'JSON.stringify() or json.dumps(). GET turns JSON into a string: use POST.';
  elsif jsonb_typeof(filters) <> 'object' then
    raise exception 'filters must be a JSON object, not the % %', jsonb_typeof(filters), left(filters::text, 100)
      using errcode = '22023',
            hint = 'Send an object, e.g. {"speaker": "Ana"} or {"$and": [{...}, {...}]}.';
  elsif octet_length(filters::text) > c_max_bytes then
    raise exception 'filters is % bytes long; the most allowed is %', octet_length(filters::text), c_max_bytes
      using errcode = '22023',
            hint = 'Store what the values of the long list have in common as a metadata key, and filter by that key.';
  end if;
  return (select g.predicate
          from braid_store.filter_group(filter_predicate.filters, filter_predicate.tenant_id,
                                        filter_predicate.collection_id, 1, 0) g);
end
$$;
comment on function braid_store.filter_predicate(jsonb, int, int) is
  'Return the SQL condition on braid_store.chunks c that a filter stands for; return ''true'' for no filter. If the '
  'condition is null, the chunk does not match, as in any WHERE.';
