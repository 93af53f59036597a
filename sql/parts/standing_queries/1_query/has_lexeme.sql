create or replace function braid_store.has_lexeme(lexemes text[], lexeme text, is_prefix boolean)
returns boolean
language sql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  select case when is_prefix
    then lexemes[width_bucket(lexeme collate "C", lexemes)] = lexeme
         or coalesce(lexemes[width_bucket(lexeme collate "C", lexemes) + 1] ^@ lexeme, false)
    else lexeme = any (lexemes) end;
$$;

comment on function braid_store.has_lexeme(text[], text, boolean) is
  'Tell whether lexemes have a lexeme, or one that begins with it if is_prefix. For a prefix, lexemes are in "C" '
  'order.';
