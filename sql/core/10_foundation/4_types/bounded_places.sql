create type braid_store.bounded_places as (
  places bigint[],
  bounds float8[],
  low float8
);

comment on type braid_store.bounded_places is
  'Places in the index of chunks that a search may find, parallel to upper bounds of their scores, highest first. No '
  'place with a bound of low or more is missing, except those that earlier passes gathered.';
