-- Tables of weights that make sparse terms of a query's words.
-- depends: 0001.baseline

create table braid_store.sparse_encoders (
    id int generated always as identity primary key,
    name text not null unique check (octet_length(name) between 1 and 255),
    max_piece_length int not null
);
comment on table braid_store.sparse_encoders is
    'Tables of weights by which searches make weighted terms of a query''s words. max_piece_length: the length of '
    'its longest term, in characters.';

create table braid_store.sparse_encoder_terms (
    encoder_id int not null references braid_store.sparse_encoders on delete cascade,
    term text collate "C" not null,
    weight real not null check (weight >= 0),
    primary key (encoder_id, term)
);
comment on table braid_store.sparse_encoder_terms is
    'The terms of a sparse encoder with their weights. A term that begins with ## stands for the rest of a word. A '
    'term of weight 0 takes its place in a word and counts for nothing.';
