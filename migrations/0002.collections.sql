-- Corpus definitions, shared by tenants. Only administrators write them, so a row that others refer to is not hot.
-- depends: 0001.tenancy

create table braid_store.vector_spaces (
    id int generated always as identity primary key,
    embedding_model text not null,
    dimensions int not null check (dimensions between 1 and 16000),
    distance text not null check (distance in ('cosine', 'inner_product', 'l2')),
    unique (embedding_model, dimensions, distance)
);
comment on table braid_store.vector_spaces is
    'What makes two vectors comparable: the model that made them, their dimensions and the distance.';
comment on column braid_store.vector_spaces.id is 'What collections and vectors refer to.';
comment on column braid_store.vector_spaces.embedding_model is 'The name of the model that makes the vectors.';
comment on column braid_store.vector_spaces.dimensions is 'The length of each vector.';
comment on column braid_store.vector_spaces.distance is 'How two vectors are compared: cosine, inner_product or l2.';

create table braid_store.collections (
    id int generated always as identity primary key,
    name text collate "C" not null unique check (octet_length(name) between 1 and 255),
    vector_space_id int not null references braid_store.vector_spaces (id),
    -- The name, not a regconfig: an OID does not survive a dump.
    text_config text not null,
    fold_diacritics boolean not null,
    k1 float8 not null check (k1 >= 0 and k1 < 'infinity'),
    b float8 not null check (b between 0 and 1),
    title_weight float8 not null check (title_weight >= 0 and title_weight < 'infinity'),
    chunk_tokens int not null check (chunk_tokens between 16 and 100000),
    index_fields text[] not null check (index_fields <@ '{title,speaker,content}'),
    embed_fields text[] not null check (embed_fields <@ '{title,speaker,content}'),
    full_text_weight float8 not null check (full_text_weight >= 0 and full_text_weight < 'infinity'),
    semantic_weight float8 not null check (semantic_weight >= 0 and semantic_weight < 'infinity'),
    vector_storage text not null check (vector_storage in ('vector', 'halfvec', 'binary')),
    hnsw_m int not null check (hnsw_m between 2 and 100),
    hnsw_ef_construction int not null check (hnsw_ef_construction between 4 and 1000),
    fusion text not null,
    normalisation text not null,
    rrf_k float8 not null check (rrf_k >= 0 and rrf_k < 'infinity'),
    created_at timestamptz not null default now()
);
create index collections_vector_space_idx on braid_store.collections (vector_space_id);
comment on table braid_store.collections is
    'Named corpus definitions. Each tenant has its own part of every collection; names are visible to all.';
comment on column braid_store.collections.id is 'What the rows of tenants refer to.';
comment on column braid_store.collections.name is 'The name that users call it by.';
comment on column braid_store.collections.vector_space_id is
    'The model, dimensions and distance of the vectors that searches compare.';
comment on column braid_store.collections.text_config is
    'The text search configuration that turns words into lexemes, by its name: an oid does not survive a dump.';
comment on column braid_store.collections.fold_diacritics is
    'Whether words are indexed and searched without their accents.';
comment on column braid_store.collections.k1 is
    'BM25''s k1: the higher it is, the more a word adds to the score each time that a chunk repeats it.';
comment on column braid_store.collections.b is
    'BM25''s b: how much the length of a chunk counts against it, from 0 (not at all) to 1 (in full).';
comment on column braid_store.collections.title_weight is
    'How many words of the text one word of the title counts for.';
comment on column braid_store.collections.chunk_tokens is
    'The most tokens of the embedding model that a chunk may have. Longer texts are split.';
comment on column braid_store.collections.index_fields is
    'The fields that full text search covers: title, speaker, content.';
comment on column braid_store.collections.embed_fields is
    'The fields that are put together and embedded: title, speaker, content.';
comment on column braid_store.collections.full_text_weight is
    'The weight of the full text score in hybrid searches that give none.';
comment on column braid_store.collections.semantic_weight is
    'The weight of the similarity in hybrid searches that give none.';
comment on column braid_store.collections.vector_storage is
    'How the vectors of large tenants are stored: vector, halfvec (half the memory) or binary (above 4,000 '
    'dimensions).';
comment on column braid_store.collections.hnsw_m is
    'The parameter m of the HNSW indexes of large tenants: how many neighbours each vector is linked to.';
comment on column braid_store.collections.hnsw_ef_construction is
    'The parameter ef_construction of these indexes: how carefully they are made.';
comment on column braid_store.collections.fusion is
    'How hybrid searches that name no fusion combine the two scores: convex, dbsf, max or rrf.';
comment on column braid_store.collections.normalisation is
    'How convex and max bring the two scores to one scale, in searches that do not say.';
comment on column braid_store.collections.rrf_k is 'The constant of the fusion rrf, in searches that give none.';
comment on column braid_store.collections.created_at is 'When the collection was created.';

create table braid_store.synonyms (
    collection_id int not null references braid_store.collections (id) on delete cascade,
    lexeme text collate "C" not null,
    word text not null,
    synonyms text[] not null,
    synonym_lexemes text[] collate "C" not null check (cardinality(synonym_lexemes) between 1 and 63),
    primary key (collection_id, lexeme)
);
comment on table braid_store.synonyms is
    'What else a word of a query finds, in one direction: words as given and, in the same order, as lexemes.';
comment on column braid_store.synonyms.collection_id is 'The collection whose searches use it.';
comment on column braid_store.synonyms.lexeme is 'The word as it is indexed, by which a query finds its synonyms.';
comment on column braid_store.synonyms.word is 'The word as it was given.';
comment on column braid_store.synonyms.synonyms is
    'The words that a query for this word finds too, as they were given.';
comment on column braid_store.synonyms.synonym_lexemes is 'The same, as they are indexed, in the same order.';

create table braid_store.indexed_attributes (
    collection_id int not null references braid_store.collections (id) on delete cascade,
    id int generated always as identity,
    name text collate "C" not null,
    type text not null check (type in ('text', 'number', 'time')),
    removed_at timestamptz,
    primary key (collection_id, id)
);
create unique index indexed_attributes_name_idx on braid_store.indexed_attributes (collection_id, name)
    where removed_at is null;
comment on table braid_store.indexed_attributes is
    'The metadata keys of a collection that filters find by index. Ids of a collection grow in the order in which its '
    'transactions commit. A removed one stays until braid.maintain() has deleted its rows.';
comment on column braid_store.indexed_attributes.collection_id is 'The collection whose documents have the key.';
comment on column braid_store.indexed_attributes.id is 'Later attributes of a collection have greater ids.';
comment on column braid_store.indexed_attributes.name is 'The key in the metadata; dots lead into nested objects.';
comment on column braid_store.indexed_attributes.type is
    'The type of the values that are indexed: text, number or time.';
comment on column braid_store.indexed_attributes.removed_at is
    'When the key was taken off the collection''s list. Null while filters use it.';

create table braid_store.model_migrations (
    collection_id int primary key references braid_store.collections (id) on delete cascade,
    from_space_id int not null,
    from_storage text not null check (from_storage in ('vector', 'halfvec', 'binary')),
    to_space_id int not null check (to_space_id <> from_space_id),
    to_storage text not null check (to_storage in ('vector', 'halfvec', 'binary')),
    state text not null check (state in ('filling', 'paused', 'cut_over')),
    started_at timestamptz not null default now(),
    cut_over_at timestamptz check ((cut_over_at is not null) = (state = 'cut_over')),
    -- A transaction with a snapshot from before this one writes chunks without a job for the new space.
    started_by xid8 not null,
    -- Where putting the chunks that are there into the outbox goes on, and whether this pass over them misses none (null
    -- before the first).
    reached_tenant_id int not null default 0,
    reached_chunk_id bigint not null default -9223372036854775808,
    is_last_pass boolean,
    is_enqueued boolean not null default false
);
comment on table braid_store.model_migrations is
    'The model migration that a collection is in. One of the two spaces is the one that collections names and searches '
    'read; writes go to both until it ends. Once is_enqueued, every chunk has a vector or a job in each of them.';
comment on column braid_store.model_migrations.collection_id is 'The collection that changes its model.';
comment on column braid_store.model_migrations.from_space_id is 'The vector space that the collection had before.';
comment on column braid_store.model_migrations.from_storage is
    'How vectors of large tenants are stored in the old space.';
comment on column braid_store.model_migrations.to_space_id is 'The vector space that it moves to.';
comment on column braid_store.model_migrations.to_storage is
    'How vectors of large tenants are stored in the new space.';
comment on column braid_store.model_migrations.state is
    'filling: the new vectors are being made; paused: that work rests; cut_over: searches use the new vectors.';
comment on column braid_store.model_migrations.started_at is 'When the move began.';
comment on column braid_store.model_migrations.cut_over_at is
    'When searches began to use the new vectors; null before.';
comment on column braid_store.model_migrations.started_by is
    'The transaction that started the move. One with an older snapshot may write chunks that have no job for the new '
    'space.';
comment on column braid_store.model_migrations.reached_tenant_id is
    'The tenant at which putting the stored chunks into the outbox of the new model goes on.';
comment on column braid_store.model_migrations.reached_chunk_id is 'The chunk of that tenant behind which it goes on.';
comment on column braid_store.model_migrations.is_last_pass is
    'Whether this pass over the tenants misses no chunk, so that no other has to follow. Null before the first pass.';
comment on column braid_store.model_migrations.is_enqueued is
    'Whether every chunk has a new vector or waits for one in the outbox.';

create table braid_store.dropped_collections (
    id int primary key,
    dropped_at timestamptz not null default now(),
    -- Where reaping goes on.
    reached_tenant_id int not null default 0
);
comment on table braid_store.dropped_collections is
    'Collections that are gone, whose rows maintenance still has to delete.';

create table braid_store.dropped_spaces (
    collection_id int not null references braid_store.collections (id) on delete cascade,
    vector_space_id int not null,
    -- A transaction with a snapshot from before this one may still write to it.
    dropped_by xid8 not null,
    -- Where reaping goes on.
    reached_tenant_id int not null default 0,
    has_left boolean not null default false,
    pass_count int not null default 0,
    primary key (collection_id, vector_space_id)
);
comment on table braid_store.dropped_spaces is
    'Vector spaces that a collection has left in a model migration, and whose rows maintenance still has to delete.';
comment on column braid_store.dropped_spaces.has_left is
    'Whether this pass over the tenants has left rows, which another pass will delete.';
