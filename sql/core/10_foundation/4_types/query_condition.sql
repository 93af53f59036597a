create type braid_store.query_condition as (
  group_number int,
  is_excluded boolean,
  is_prefix boolean,
  lexemes text[],
  offsets int[]
);

comment on type braid_store.query_condition is
  'Lexemes that a chunk must or must not have, in one field and at the given distances (offsets) from each other. A '
  'chunk must meet one condition of each group, and no condition with is_excluded. is_prefix: any lexeme that begins '
  'with the given lexeme.';
