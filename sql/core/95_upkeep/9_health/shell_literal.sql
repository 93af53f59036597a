create or replace function braid_store.shell_literal(value text)
returns text
language sql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  select case when shell_literal.value ~ '^[A-Za-z0-9._/-]+$' and shell_literal.value !~ '^-' then shell_literal.value
              -- Keep the value in one line, because a line of its own would be a command.
              when shell_literal.value ~ E'[\n\r]' then
                '"$(printf %b '''
                || replace(replace(replace(replace(shell_literal.value, E'\\', E'\\\\'), E'\n', E'\\n'), E'\r', E'\\r'),
                           '''', E'''\\''''')
                || ''')"'
              else '''' || replace(shell_literal.value, '''', E'''\\''''') || '''' end;
$$;

comment on function braid_store.shell_literal(text) is
  'Quote a value for a command line, if it needs quotes.';
