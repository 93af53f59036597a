create type braid_store.bounded_places as (
  places bigint[],
  bounds float8[],
  low float8
);

comment on type braid_store.bounded_places is
  'Places in the index of chunks that a search may find, parallel to upper bounds of their scores, highest first. '
  'All places with a bound of low or more are included, except places that earlier passes gathered.';
