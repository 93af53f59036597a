create or replace function braid_store.query_fingerprint(parts text[])
returns text
language sql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  select left(encode(sha256(convert_to(query_fingerprint.parts::text, 'UTF8')), 'hex'), 24);
$$;

comment on function braid_store.query_fingerprint(text[]) is
  'Return a short hash of a query''s arguments. A cursor has this hash, so that it cannot be used for another query.';
