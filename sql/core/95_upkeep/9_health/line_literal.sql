-- role: administrator, monitor
create or replace function braid_calls.line_literal(value text)
returns text
language sql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  select case when line_literal.value ~ E'[\n\r]'
              then 'E' || ltrim(replace(replace(quote_literal(line_literal.value), E'\n', E'\\n'), E'\r', E'\\r'), 'E')
              else quote_literal(line_literal.value) end;
$$;

comment on function braid_calls.line_literal(text) is
  'Quote a value for SQL in one line. The value must not begin a line of its own, because that would be a command.';
