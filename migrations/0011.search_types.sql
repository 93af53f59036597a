-- What the functions of a search hand to each other. No table and no view has these types.
-- depends: 0010.isolation

create type braid_store.filter as (
    predicate text,
    source text,
    is_empty boolean
);
comment on type braid_store.filter is
    'A filter as SQL: a condition on braid_store.chunks c (predicate); a query of an index that gives the ids of chunks, each '
    'once, all matches among them (source; null: there is none, look at every chunk). is_empty: every chunk passes, and '
    'none need be read.';
