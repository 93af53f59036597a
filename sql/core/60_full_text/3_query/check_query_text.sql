create or replace function braid_store.check_query_text(query_text text)
returns void
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  c_max_bytes constant int := 1000000;
begin
  if octet_length(query_text) > c_max_bytes then
    raise exception 'query_text has % bytes, more than %', octet_length(query_text), c_max_bytes
      using errcode = '54000', hint = 'Send only the question: full text searches the first 16384 characters.';
  end if;
end
$$;

comment on function braid_store.check_query_text(text) is
  'Raise 54000 if a query text has more than 1000000 bytes.';
