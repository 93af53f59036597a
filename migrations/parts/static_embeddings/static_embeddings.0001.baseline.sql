-- Tables of token vectors, which embed texts in the database.
-- depends: 0001.baseline

create table braid_store.static_embedders (
    id int generated always as identity primary key,
    name text not null unique check (octet_length(name) between 1 and 255),
    source_model text check (octet_length(source_model) between 1 and 255),
    dimensions int not null check (dimensions between 1 and 4000),
    longest_token int not null
);
comment on table braid_store.static_embedders is
    'Tables of token vectors, by which the database embeds texts. name is also the embedding_model of the vectors. '
    'source_model: the model whose vectors they come close to; null if they are in a space of their own. '
    'longest_token: the length of its longest token, in characters and without ##.';

create table braid_store.static_embedder_tokens (
    embedder_id int not null references braid_store.static_embedders on delete cascade,
    token text collate "C" not null,
    embedding @vector@.halfvec not null,
    primary key (embedder_id, token)
);
-- A vector that stays in its row is read without a second look-up.
alter table braid_store.static_embedder_tokens alter column embedding set storage plain;
comment on table braid_store.static_embedder_tokens is
    'The tokens of a static embedder with their weighted vectors. A token that begins with ## stands for the rest of a '
    'word.';

create table braid_store.static_embedder_letters (
    embedder_id int not null references braid_store.static_embedders on delete cascade,
    first_code int not null,
    last_code int not null check (last_code >= first_code),
    replacement text,
    primary key (embedder_id, first_code)
);
comment on table braid_store.static_embedder_letters is
    'What the tokenizer of a static embedder does with characters beyond ASCII, by ranges of code points: a '
    'replacement, such as the small letter, or nothing for an accent. Null: the character is a word of its own.';
