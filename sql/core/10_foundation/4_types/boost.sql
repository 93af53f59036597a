create type braid_store.boost as (
  label text,
  source text,
  is_additive boolean,
  weight float8
);

comment on type braid_store.boost is
  'A boost of scores: its name (label), its value as an SQL expression on braid_store.chunks with the alias c '
  '(source), and how it counts (is_additive, weight).';
