-- The filter language, after MongoDB's and Pinecone's:
--   {"speaker": "Ana", "year": {"$gte": 2020, "$lt": 2024}, "$or": [{"tags": "a"}, {"author.name": {"$in": ["b"]}}]}
-- Keys of one object, and operators of one key, are and-ed. Keys are case-sensitive:
--   speaker, category, language, external_id, source_uri hold text, importance numbers, occurred_at timestamps;
--   any other key is a metadata key. A dotted key walks nested objects, and lists of them, unless metadata has that very key at its
--   top. The prefix "metadata." reaches metadata keys named like a column or beginning with "$".
-- Operators: $eq (also written {key: value}), $ne, $gt, $gte, $lt, $lte, $between, $in, $nin, $all, $like, $ilike, $exists, $not,
-- $and, $or.
-- Semantics, MongoDB's where Pinecone documents none (it changed what $ne does with missing keys):
--   a missing key fails $eq, $in, ranges and patterns, and matches $ne, $nin and $not of those;
--   null is the same as missing, stored or asked for: {"speaker": null} means {"speaker": {"$exists": false}};
--   all operators look into a list stored in metadata: {"tags": "a"} matches {"tags": ["a", "b"]}; not into a list in a list;
--   different elements may meet different operators, but the bounds of one range are for one element, as in Qdrant;
--   ranges compare numbers with numbers and strings with strings, by code point, so that ISO dates compare as dates;
--   of occurred_at, a date alone is its day;
--   a speaker is any of the speakers of a chunk that was made from segments;
--   a stored value of another type than the operand's is no match, never an error; 1 equals 1.0.
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
            hint = 'Send the object itself, e.g. {"speaker": "Ana"}, not a string that holds it: '
                   'leave out JSON.stringify() or json.dumps(). GET makes a string of it: use POST.';
  elsif jsonb_typeof(filters) <> 'object' then
    raise exception 'filters must be a JSON object, not the % %', jsonb_typeof(filters), left(filters::text, 100)
      using errcode = '22023',
            hint = 'Send an object, e.g. {"speaker": "Ana"} or {"$and": [{...}, {...}]}.';
  elsif octet_length(filters::text) > c_max_bytes then
    raise exception 'filters is % bytes long; the most allowed is %', octet_length(filters::text), c_max_bytes
      using errcode = '22023',
            hint = 'Store what the long list stands for as a metadata key of its own and filter by that.';
  end if;
  return (select g.predicate
          from braid_store.filter_group(filter_predicate.filters, filter_predicate.tenant_id,
                                        filter_predicate.collection_id, 1, 0) g);
end
$$;
comment on function braid_store.filter_predicate(jsonb, int, int) is
  'Return the SQL condition on braid_store.chunks c that a filter stands for; ''true'' for no filter. Where it is '
  'null, the chunk does not match, as in any WHERE.';
