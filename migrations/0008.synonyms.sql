-- Synonyms, part of a collection's definition: shared by tenants and changed by administrators only.
-- depends: 0007.isolation

create table braid_store.synonyms (
    -- A reference is no hot row here: only administrators write.
    collection_id int not null references braid_store.collections (id) on delete cascade,
    lexeme text collate "C" not null,
    word text not null,
    synonyms text[] not null,
    synonym_lexemes text[] collate "C" not null check (cardinality(synonym_lexemes) between 1 and 63),
    primary key (collection_id, lexeme)
);
alter table braid_store.synonyms enable row level security;
comment on table braid_store.synonyms is
    'What else a word of a query finds, in one direction: words as given and, in the same order, as lexemes.';
