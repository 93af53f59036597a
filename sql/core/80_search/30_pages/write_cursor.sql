create or replace function braid_store.write_cursor(
  fingerprint text,
  place int,
  candidate_count int,
  last_row braid_store.search_result
)
returns text
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  c_parts constant bytea := convert_to(jsonb_build_object(
    'f', write_cursor.fingerprint, 'n', write_cursor.place, 'w', write_cursor.candidate_count,
    'c', last_row.chunk_id, 'd', last_row.external_id, 'i', last_row.chunk_index,
    's', coalesce(last_row.group_score, last_row.score)::text)::text, 'UTF8');
begin
  -- The checksum detects mistakes. A forged cursor only shows its author another page of the same list.
  return translate(encode(substr(sha256(c_parts), 1, 8) || c_parts, 'base64'), E'+/=\n', '-_');
end
$$;

comment on function braid_store.write_cursor(text, int, int, braid_store.search_result) is
  'Return a cursor, which marks where a page ends, as text that can be part of a URL.';
