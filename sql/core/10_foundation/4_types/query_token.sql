create type braid_store.query_token as (
  clause_number int,
  group_number int,
  occurrence text,
  kind text,
  "position" int,
  lexeme text,
  token_kind text,
  written text
);

comment on type braid_store.query_token is
  'A token of a query: its clause (number, group, occurrence and kind, as braid_store.parse_query gives them), its '
  'position there, lexeme and kind. written is the clause''s text if the clause is this one '
  'word, and the token stands for all of it; else null.';
