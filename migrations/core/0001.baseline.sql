-- Here are the tables of the core, by subject. Functions, policies and privileges are in sql/.
--
-- A database gets this file once. A change after a release is a new file, which carries over stored data: see
-- README.md.
-- depends:

-- == Installation ==

create table braid_store.installation (
    only_row boolean primary key default true check (only_row),
    version text not null,
    migrations jsonb not null default '{}',
    placeholders jsonb not null default '{}',
    extension_hashes jsonb not null default '{}',
    installed_at timestamptz not null default now()
);
comment on table braid_store.installation is
    'One row: the installed version, a content hash of each applied migration, and the values of the placeholders of '
    'sql/ in this database.';
comment on column braid_store.installation.only_row is 'Always true: it keeps the table at one row.';
comment on column braid_store.installation.version is 'The version of pgbraid that this database has.';
comment on column braid_store.installation.migrations is
    'A hash of each migration that was applied, by its name: a released migration never changes.';
comment on column braid_store.installation.placeholders is
    'The values of the placeholders of sql/ in this database: the roles owner and definer, and the schema of pgvector.';
comment on column braid_store.installation.extension_hashes is
    'The SHA-256 of the body of each extension point, which the installation has written from the parts.';
comment on column braid_store.installation.installed_at is 'When pgbraid was installed or last upgraded.';

create table braid_store.parts (
    name text primary key,
    place int not null unique,
    manifest jsonb not null,
    content_hash text not null
);
comment on table braid_store.parts is 'The core and the installed parts; a part comes after the parts that it needs.';
comment on column braid_store.parts.name is 'core, or the name of the part.';
comment on column braid_store.parts.place is
  'The part''s place in the order of installation and of calls at extension points.';
comment on column braid_store.parts.manifest is 'The part''s part.json.';
comment on column braid_store.parts.content_hash is
    'A hash of all files of the part. init and upgrade compare it to find out whether there is anything to do, and '
    'clients to find out whether they fit this database.';

-- == Tenants, who may act for them, and how a session's tenant is found ==

create table braid_store.tenants (
    id int generated always as identity primary key,
    key text collate "C" not null unique check (octet_length(key) between 1 and 255),
    created_at timestamptz not null default now()
);
comment on table braid_store.tenants is
    'The isolation units. Users name a tenant by its key; everything inside uses the id, which never changes and is '
    'never reused.';

create table braid_store.dropped_tenants (
    id int primary key,
    dropped_at timestamptz not null default now(),
    -- A transaction with a snapshot from before this one may still write for the tenant.
    dropped_by xid8 not null
);
comment on table braid_store.dropped_tenants is 'Tenants that are gone, whose rows maintenance still has to delete.';

create table braid_store.tenant_members (
    tenant_id int not null references braid_store.tenants (id) on delete cascade,
    member text collate "C" not null,
    primary key (tenant_id, member)
);
create index tenant_members_member_idx on braid_store.tenant_members (member);
comment on table braid_store.tenant_members is
    'Which login may act for which tenant; a group role stands for every login that inherits it. Roles are stored by '
    'name, so that a dump restores them.';

create table braid_store.trusted_roles (
    kind text collate "C" not null check (kind in ('gateway', 'service', 'administrator', 'monitor')),
    role text collate "C" not null,
    primary key (kind, role)
);
comment on table braid_store.trusted_roles is
    'Which login is trusted in this database, and as what; a group role stands for every login that inherits it. '
    'Roles are stored by name, so that a dump restores them.';

create table braid_store.access_settings (
    only_row boolean primary key default true check (only_row),
    claim_path text[] not null default '{app_metadata,tenant_id}',
    tenant_header text not null default 'x-braid-tenant',
    trusted_claim_roles text[] not null default '{service_role}',
    public_tenant_id int references braid_store.tenants (id) on delete set null,
    create_tenants boolean not null default false
);
create index access_settings_public_tenant_idx on braid_store.access_settings (public_tenant_id);
comment on table braid_store.access_settings is
    'One row: how a request through a gateway names its tenant (verified claim, header of trusted roles, public '
    'tenant).';
comment on column braid_store.access_settings.create_tenants is
    'Whether the first write of a request creates the tenant that its verified claim names.';
insert into braid_store.access_settings default values;

-- == Definitions, which tenants share ==

-- Only administrators write these tables, so a row that others refer to is not hot.

create table braid_store.vector_spaces (
    id int generated always as identity primary key,
    embedding_model text not null,
    dimensions int not null check (dimensions between 1 and 16000),
    distance text not null check (distance in ('cosine', 'inner_product', 'l2')),
    unique (embedding_model, dimensions, distance)
);
comment on table braid_store.vector_spaces is
    'The facts that make two vectors comparable: the model that made them, their dimensions and the distance.';
comment on column braid_store.vector_spaces.id is 'The number that collections and vectors refer to.';
comment on column braid_store.vector_spaces.embedding_model is 'The name of the model that makes the vectors.';
comment on column braid_store.vector_spaces.dimensions is 'The length of each vector.';
comment on column braid_store.vector_spaces.distance is 'How two vectors are compared: cosine, inner_product or l2.';

create table braid_store.collections (
    id int generated always as identity primary key,
    name text collate "C" not null unique check (octet_length(name) between 1 and 255),
    created_at timestamptz not null default now(),
    -- Settings of vectors follow.
    vector_space_id int not null references braid_store.vector_spaces (id),
    vector_storage text not null check (vector_storage in ('vector', 'halfvec', 'binary')),
    hnsw_m int not null check (hnsw_m between 2 and 100),
    hnsw_ef_construction int not null check (hnsw_ef_construction between 4 and 1000),
    -- Settings of documents and chunks follow.
    chunk_tokens int not null check (chunk_tokens between 16 and 100000),
    overlap_tokens int,
    index_fields text[] not null check (index_fields <@ '{title,speaker,content}'),
    embed_fields text[] not null check (embed_fields <@ '{title,speaker,content}'),
    default_occurred_at text,
    -- Settings of words follow. The configuration is stored by name, not as a regconfig: an OID does not survive a
    -- dump.
    text_config text not null,
    fold_diacritics boolean not null,
    -- Settings of full-text scores follow. If b is null, it follows the average length of the chunks
    -- (braid_store.adaptive_b).
    k1 float8 not null check (k1 >= 0 and k1 < 'infinity'),
    b float8 check (b between 0 and 1),
    bm25_variant text not null default 'lucene',
    title_weight float8 not null check (title_weight >= 0 and title_weight < 'infinity'),
    statistics_scope text not null default 'collection',
    typos text not null default 'off',
    -- Settings of fusion follow.
    fusion text not null,
    normalisation text not null,
    rrf_k float8 not null check (rrf_k >= 0 and rrf_k < 'infinity'),
    full_text_weight float8 not null check (full_text_weight >= 0 and full_text_weight < 'infinity'),
    semantic_weight float8 not null check (semantic_weight >= 0 and semantic_weight < 'infinity'),
    sparse_weight float8 not null default 0.3,
    neighbour_weight float8 not null default 0 check (neighbour_weight between 0 and 1),
    document_weight float8 not null default 0 check (document_weight between 0 and 1),
    question_penalty float8 not null default 0 check (question_penalty between 0 and 1),
    speaker_weight float8 not null default 0 check (speaker_weight between 0 and 1),
    name_weight float8 not null default 1.1 check (name_weight between 0 and 10),
    smoothing float8 not null default 0 check (smoothing between 0 and 1),
    -- Settings of parts are one object, so the core needs no column for a part. Searches of a collection without parts
    -- only test for null.
    parts jsonb check (jsonb_typeof(parts) = 'object' and parts <> '{}')
);
create index collections_vector_space_idx on braid_store.collections (vector_space_id);
comment on table braid_store.collections is
    'Named corpus definitions. Each tenant has its own part of every collection; names are visible to all.';
comment on column braid_store.collections.id is 'The number that tenants'' rows refer to.';
comment on column braid_store.collections.name is 'The name by which users refer to it.';
comment on column braid_store.collections.created_at is 'When the collection was created.';
comment on column braid_store.collections.vector_space_id is
    'The model, dimensions and distance of the vectors that searches compare.';
comment on column braid_store.collections.vector_storage is
    'How the vectors of large tenants are stored: vector, halfvec (half the memory) or binary (above 4,000 '
    'dimensions).';
comment on column braid_store.collections.hnsw_m is
    'The parameter m of the HNSW indexes of large tenants: how many neighbours each vector is linked to.';
comment on column braid_store.collections.hnsw_ef_construction is
    'The parameter ef_construction of these indexes: how carefully they are made.';
comment on column braid_store.collections.chunk_tokens is
    'The most tokens of the embedding model that a chunk may have. Longer texts are split.';
comment on column braid_store.collections.overlap_tokens is
    'The most tokens at the end of a chunk that the next chunk repeats. Null: a tenth of a chunk.';
comment on column braid_store.collections.index_fields is
    'The fields that full text search covers: title, speaker, content.';
comment on column braid_store.collections.embed_fields is
    'The fields that are put together and embedded: title, speaker, content.';
comment on column braid_store.collections.default_occurred_at is
    'The time of documents that have none: now, when they are first written. Null: they have none.';
comment on column braid_store.collections.text_config is
    'The text search configuration that turns words into lexemes, by its name: an oid does not survive a dump.';
comment on column braid_store.collections.fold_diacritics is
    'Whether words are indexed and searched without their accents.';
comment on column braid_store.collections.k1 is
    'BM25''s k1: the higher it is, the more a word adds to the score each time that a chunk repeats it.';
comment on column braid_store.collections.b is
    'BM25''s b: how much the length of a chunk counts against it, from 0 (not at all) to 1 (in full). Null: 0.75, and '
    'less where chunks are short.';
comment on column braid_store.collections.bm25_variant is
    'The scale of BM25 scores: lucene, or okapi, whose scores are k1 + 1 times as high.';
comment on column braid_store.collections.title_weight is
    'How many words of the text a word of the title counts for.';
comment on column braid_store.collections.statistics_scope is
    'The rows over which searches count how rare words are, unless they say otherwise: collection, filter, auto or '
    'permitted.';
comment on column braid_store.collections.typos is
    'Whether words that no or hardly any chunk has also match words that are spelt nearly so: off or auto.';
comment on column braid_store.collections.fusion is
    'How hybrid searches that name no fusion combine the two scores: convex, dbsf, max or rrf.';
comment on column braid_store.collections.normalisation is
    'The normalisation that convex and max use, unless a search says otherwise.';
comment on column braid_store.collections.rrf_k is 'The constant of the fusion rrf, in searches that give none.';
comment on column braid_store.collections.full_text_weight is
    'The weight of the full text score in hybrid searches that give none.';
comment on column braid_store.collections.semantic_weight is
    'The weight of the similarity in hybrid searches that give none.';
comment on column braid_store.collections.sparse_weight is
    'The weight of the sparse score in searches that have a sparse leg and give no weight.';
comment on column braid_store.collections.neighbour_weight is
    'The share of its neighbours'' scores that a chunk gets, unless a search says otherwise.';
comment on column braid_store.collections.document_weight is
    'The share of the best score in its document that a chunk gets, unless a search says otherwise.';
comment on column braid_store.collections.question_penalty is
    'What a chunk that only asks loses in hybrid searches, unless a search says otherwise.';
comment on column braid_store.collections.speaker_weight is
    'What a chunk gains in hybrid searches that name its speaker, unless a search says otherwise.';
comment on column braid_store.collections.name_weight is
    'The share of the best score that a document gains in hybrid searches whose query is its title or its external_id, '
    'unless a search says otherwise. Above 1, the document comes first; 0 turns this off.';
comment on column braid_store.collections.smoothing is
    'The share of its score that a chunk exchanges with chunks of near vectors, in hybrid searches that do not say '
    'otherwise.';
comment on column braid_store.collections.parts is
    'An object with the collection''s settings that belong to parts, one key for each setting. A setting without a '
    'key has its default. Null if all settings have their defaults.';

create table braid_store.ranking_versions (
    collection_id int not null references braid_store.collections (id) on delete cascade,
    version int not null check (version > 0),
    ranking jsonb not null check (jsonb_typeof(ranking) = 'object'),
    previous jsonb check (jsonb_typeof(previous) = 'object'),
    login text,
    role text,
    changed_at timestamptz,
    reason text,
    evaluation jsonb check (jsonb_typeof(evaluation) = 'object'),
    restored_version int,
    primary key (collection_id, version)
);
comment on table braid_store.ranking_versions is
    'The history of a collection''s ranking: all its settings after each change. Only changes of a ranking write here.';
comment on column braid_store.ranking_versions.ranking is 'All settings of the ranking, as from this version on.';
comment on column braid_store.ranking_versions.previous is
  'The settings of the version before; null for the first version.';
comment on column braid_store.ranking_versions.login is
    'The login that changed the ranking. Null if a change found settings that no version has: then nobody knows who '
    'set them, and when.';

create table braid_store.synonyms (
    collection_id int not null references braid_store.collections (id) on delete cascade,
    lexeme text collate "C" not null,
    word text not null,
    synonyms text[] not null,
    synonym_lexemes text[] collate "C" not null check (cardinality(synonym_lexemes) between 1 and 63),
    primary key (collection_id, lexeme)
);
comment on table braid_store.synonyms is
    'The synonyms of a query''s word, in one direction: words as given and, in the same order, as lexemes.';
comment on column braid_store.synonyms.collection_id is 'The collection whose searches use the synonyms.';
comment on column braid_store.synonyms.lexeme is 'The word as it is indexed, by which a query finds its synonyms.';
comment on column braid_store.synonyms.word is 'The word as it was given.';
comment on column braid_store.synonyms.synonyms is
    'The words that a query for this word finds too, as they were given.';
comment on column braid_store.synonyms.synonym_lexemes is 'The same words as they are indexed, in the same order.';

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
    'The metadata keys of a collection that filters find by index. Ids of a collection grow in the order in which '
    'its transactions commit. A removed key stays until braid.maintain() has deleted its rows.';
comment on column braid_store.indexed_attributes.collection_id is 'The collection whose documents have the key.';
comment on column braid_store.indexed_attributes.id is 'Later attributes of a collection have greater ids.';
comment on column braid_store.indexed_attributes.name is 'The key in the metadata; dots lead into nested objects.';
comment on column braid_store.indexed_attributes.type is
    'The type of the values that are indexed: text, number or time.';
comment on column braid_store.indexed_attributes.removed_at is
    'When the key was taken off the collection''s list. Null while filters use it.';

create table braid_store.dropped_collections (
    id int primary key,
    dropped_at timestamptz not null default now(),
    -- Reaping resumes after this tenant.
    reached_tenant_id int not null default 0
);
comment on table braid_store.dropped_collections is
    'Collections that are gone, whose rows maintenance still has to delete.';

create table braid_store.dropped_spaces (
    collection_id int not null references braid_store.collections (id) on delete cascade,
    vector_space_id int not null,
    -- A transaction with an older snapshot may still write to the collection.
    dropped_by xid8 not null,
    -- Reaping resumes after this tenant.
    reached_tenant_id int not null default 0,
    has_left boolean not null default false,
    pass_count int not null default 0,
    primary key (collection_id, vector_space_id)
);
comment on table braid_store.dropped_spaces is
    'Vector spaces that a collection has left in a model change, and whose rows maintenance still has to delete.';
comment on column braid_store.dropped_spaces.has_left is
    'Whether this pass over the tenants has left rows, which another pass will delete.';

-- == Documents and chunks ==

-- Documents carry no foreign key to tenants or collections: its row lock would make these few rows hot for every
-- writer. Instead, writers share a lock of their tenant's part of the collection, and drops take it alone.
--
-- Every write changes the following tables. By default, autovacuum waits until a fifth of a table is dead. Until then
-- deleted rows keep their space, and searches step over them in the indexes. With a twentieth, one pass over the
-- indexes still removes many dead rows. Tables that are small beside their traffic have a fiftieth.

create table braid_store.documents (
    tenant_id int not null,
    id bigint generated always as identity,
    collection_id int not null,
    external_id text collate "C" not null check (octet_length(external_id) between 1 and 1024),
    title text,
    source_uri text,
    metadata jsonb not null default '{}' check (jsonb_typeof(metadata) = 'object'),
    content_hash bytea not null,
    attribute_hash bytea,
    occurred_at timestamptz,
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now(),
    title_hash int,
    primary key (tenant_id, id),
    unique (tenant_id, collection_id, external_id)
) with (autovacuum_vacuum_scale_factor = 0.05);
create index documents_title_idx on braid_store.documents (tenant_id, collection_id, title_hash)
    where title_hash is not null;
comment on table braid_store.documents is
    'The users'' documents, by their own ids. content_hash covers everything that reaches an index, attribute_hash '
    'the rest (null after an update of the metadata alone). Equal hashes mean no work.';
comment on column braid_store.documents.tenant_id is 'The tenant that stored it.';
comment on column braid_store.documents.id is
    'The number that the tenant''s chunks refer to. The database gives it, and never reuses it.';
comment on column braid_store.documents.collection_id is 'The collection of the document.';
comment on column braid_store.documents.external_id is
    'The id that the user gave it. Writing the same id again replaces the document.';
comment on column braid_store.documents.title is
    'Indexed and embedded with each chunk, if the collection says so; shown in results.';
comment on column braid_store.documents.title_hash is
    'A hash of the title in the form in which names are compared (name_key), by which a search finds equal titles.';
comment on column braid_store.documents.source_uri is 'Where the document came from, as the user gave it.';
comment on column braid_store.documents.metadata is 'Keys and values of the user''s own, for filters.';
comment on column braid_store.documents.content_hash is
    'A hash of everything that reaches an index. If a new version has the same hash, its chunks stay as they are.';
comment on column braid_store.documents.attribute_hash is
    'A hash of the other fields, which filters and results read. Null after update_metadata.';
comment on column braid_store.documents.occurred_at is
  'The time of the event that the document is about, as the user gave it.';
comment on column braid_store.documents.created_at is 'When the document was first written.';
comment on column braid_store.documents.updated_at is 'When the document was last written or its metadata changed.';

create table braid_store.chunks (
    tenant_id int not null,
    id bigint generated always as identity,
    collection_id int not null,
    document_id bigint not null,
    chunk_index int not null,
    attribute_version int not null default 0,
    content text not null,
    token_count int not null,
    speaker text collate "C",
    category text collate "C",
    importance float8,
    occurred_at timestamptz,
    language text collate "C",
    metadata jsonb not null default '{}',
    created_at timestamptz not null default now(),
    primary key (tenant_id, id),
    unique (tenant_id, document_id, chunk_index),
    foreign key (tenant_id, document_id) references braid_store.documents (tenant_id, id) on delete cascade
) with (autovacuum_vacuum_scale_factor = 0.05);
-- Under row-level security, only leakproof operators (= and < on these types) can use an index.
create index chunks_occurred_at_idx on braid_store.chunks (tenant_id, collection_id, occurred_at);
create index chunks_speaker_idx on braid_store.chunks (tenant_id, collection_id, speaker);
-- Few chunks have several speakers, so they have an index of their own. Its order of columns tells it from the index of
-- all speakers.
create index chunks_speakers_idx on braid_store.chunks (tenant_id, collection_id, speaker text_pattern_ops)
    where position(', ' in speaker) > 0 or octet_length(speaker) > 255;
create index chunks_category_idx on braid_store.chunks (tenant_id, collection_id, category);
create index chunks_attribute_version_idx on braid_store.chunks (tenant_id, collection_id, attribute_version);
comment on table braid_store.chunks is
    'The units that searches find. A chunk''s text never changes: a changed document gets new chunks. metadata is '
    'the document''s with the chunk''s own keys on top; changing it touches no index.';
comment on column braid_store.chunks.tenant_id is 'The tenant that stored it.';
comment on column braid_store.chunks.id is
    'The number that all derived rows refer to. The database gives it, and never reuses it.';
comment on column braid_store.chunks.collection_id is 'The collection of the chunk''s document.';
comment on column braid_store.chunks.document_id is 'The document of the chunk.';
comment on column braid_store.chunks.chunk_index is 'Its place in the document, from 0.';
comment on column braid_store.chunks.attribute_version is
    'The greatest id of an indexed attribute that was known when the chunk was last written. For this attribute and '
    'all earlier ones, the chunk has rows in chunk_attributes. Filters examine chunks with a smaller number one by '
    'one, until maintain() has indexed them.';
comment on column braid_store.chunks.content is 'The text of the chunk. Neighbours may share some words.';
comment on column braid_store.chunks.token_count is
  'The estimated number of tokens of the embedding model in the text.';
comment on column braid_store.chunks.speaker is 'The speaker of the text.';
comment on column braid_store.chunks.category is 'A category of the user''s own.';
comment on column braid_store.chunks.importance is 'A number of the user''s own, for filters and boosts.';
comment on column braid_store.chunks.occurred_at is
  'The time of the event that the text is about, as the user gave it.';
comment on column braid_store.chunks.language is 'The language of the text, if it differs from the collection''s.';
comment on column braid_store.chunks.metadata is 'The document''s metadata with the chunk''s own keys on top.';
comment on column braid_store.chunks.created_at is 'When the chunk was written.';

-- Under row-level security, filters cannot use the usual indexes of JSON, whose operators are not leakproof. So the
-- values of indexed attributes are rows of text and float8.
create table braid_store.chunk_attributes (
    tenant_id int not null,
    collection_id int not null,
    chunk_id bigint not null,
    attribute_id int not null,
    element int not null,
    text_value text collate "C",
    number_value float8,
    primary key (tenant_id, chunk_id, attribute_id, element),
    check (num_nonnulls(text_value, number_value) = 1)
) with (autovacuum_vacuum_scale_factor = 0.05);
create index chunk_attributes_text_idx
    on braid_store.chunk_attributes (tenant_id, attribute_id, text_value, chunk_id)
    where text_value is not null;
create index chunk_attributes_number_idx
    on braid_store.chunk_attributes (tenant_id, attribute_id, number_value, chunk_id)
    where number_value is not null;
comment on table braid_store.chunk_attributes is
    'The values that chunks have for indexed attributes, if they are of the attribute''s type: a scalar as element '
    '0, distinct elements of an array from 1. They are shortened and rounded (braid_store.attribute_number), but '
    'never out of order: the index finds a superset, and the metadata decides.';

-- == Full text ==

-- The index is an inverted index in ordinary tables, log-structured: each statement that writes documents writes a
-- segment, and merges join segments. Everything here is derived from chunks and can be rebuilt.

create table braid_store.segments (
    tenant_id int not null,
    collection_id int not null,
    id bigint generated always as identity,
    is_deletion boolean not null,
    chunk_count int not null,
    posting_count bigint not null,
    body_length bigint not null,
    title_length bigint not null,
    k1 float8 not null,
    b float8 not null,
    title_weight float8 not null,
    average_length float8 not null,
    created_at timestamptz not null default now(),
    chunk_ids bigint[] storage external, -- A compressed value would have to be unpacked for each search.
    listed_count int not null default 0,
    max_weight float8,
    terms text collate "C",
    first_chunk_id bigint,
    primary key (tenant_id, collection_id, id)
) with (autovacuum_vacuum_scale_factor = 0.02);
comment on table braid_store.segments is
    'The immutable segments of the index. A deletion is a segment without postings. It subtracts deleted chunks from '
    'the statistics of the segments that still hold them: its counts and lengths are negative, so that statistics '
    'are sums. k1, b and the like are the BM25 parameters of the segment''s impacts. The segments of a collection''s '
    'sparse terms have its id negated; so have their postings and segment_chunks.';
comment on column braid_store.segments.chunk_ids is
    'The ids of the segment''s chunks in the order of their numbers, which is ascending: a copy of segment_chunks. '
    'Null in segments of less than 2048 chunks and where the ids are consecutive.';
comment on column braid_store.segments.listed_count is
    'metadata_lists has the values of the first chunks by number, up to this count.';
comment on column braid_store.segments.max_weight is
    'The largest weight in a segment of sparse terms, whose impacts are in 2047ths of it. Null in other segments.';
comment on column braid_store.segments.terms is
    'All sparse terms that have a list in the segment, separated by line breaks. Null in other segments.';
comment on column braid_store.segments.first_chunk_id is
    'The first id of the segment''s chunks, if they have consecutive ids; else null. Then a chunk''s id is computed '
    'from its number, and not looked up.';

create table braid_store.segment_chunks (
    tenant_id int not null,
    collection_id int not null,
    segment_id bigint not null,
    chunk_number int not null,
    chunk_id bigint not null,
    primary key (tenant_id, collection_id, segment_id, chunk_number)
) with (autovacuum_vacuum_scale_factor = 0.05);
create index segment_chunks_chunk_idx on braid_store.segment_chunks (tenant_id, chunk_id);
comment on table braid_store.segment_chunks is
    'A segment''s small local numbers, from 1, and the chunks they stand for. A chunk is in one segment, and in any '
    'number of segments of sparse terms.';

-- Searches read both tables through the view postings. Writers use one of them, so that maintenance can empty the other
-- and give its space back: vacuum, which could, cannot run in a function.
create table braid_store.postings_a (
    tenant_id int not null,
    collection_id int not null,
    lexeme text collate "C" not null,
    segment_id bigint not null,
    document_frequency int not null,
    posting_count int not null,
    -- Compressed arrays would have to be unpacked for each search.
    elements int[] storage external,
    block_weight float8,
    blocks @vector@.sparsevec[] storage external,
    primary key (tenant_id, collection_id, lexeme, segment_id)
) with (autovacuum_vacuum_scale_factor = 0.05);
comment on table braid_store.postings_a is
    'The chunks that contain a lexeme, per segment. An impact is the share of its idf that BM25 gives the lexeme in '
    'a chunk, in 2047ths, rounded up. Short lists are elements: chunk_number << 11 | impact, ascending. Lists of at '
    'least 64 chunks and a 256th of the segment are blocks of 8192 numbers: impact times block_weight, by number in '
    'the block. document_frequency counts a title''s words once per document, at its first chunk. A deletion has '
    'counts to subtract, and no lists.';

create table braid_store.postings_b (
    tenant_id int not null,
    collection_id int not null,
    lexeme text collate "C" not null,
    segment_id bigint not null,
    document_frequency int not null,
    posting_count int not null,
    elements int[] storage external,
    block_weight float8,
    blocks @vector@.sparsevec[] storage external,
    primary key (tenant_id, collection_id, lexeme, segment_id)
) with (autovacuum_vacuum_scale_factor = 0.05);
comment on table braid_store.postings_b is 'More rows as in postings_a.';

create table braid_store.posting_tables (
    only_row boolean primary key default true check (only_row),
    active text not null default 'a' check (active in ('a', 'b')),
    left_by xid8,
    emptied_by xid8,
    check_at_bytes bigint not null default 4000000
);
comment on table braid_store.posting_tables is
    'One row: which of the two tables of postings writers use, and how far maintenance is in emptying the other.';
comment on column braid_store.posting_tables.only_row is 'Always true: it keeps the table at one row.';
comment on column braid_store.posting_tables.active is 'The table that gets new postings: a or b.';
comment on column braid_store.posting_tables.left_by is
    'The transaction that made this table the active one. Sessions with an older snapshot may still write to the '
    'other. Null: the other table is empty.';
comment on column braid_store.posting_tables.emptied_by is
    'No transaction with a later id has deleted rows of the other table. Sessions with an older snapshot may still '
    'read them. Null: the other table is not known to be without rows.';
comment on column braid_store.posting_tables.check_at_bytes is
    'The size, with indexes, at which maintenance estimates again how much of the active table is dead.';
insert into braid_store.posting_tables default values;

create table braid_store.forward_rows (
    tenant_id int not null,
    collection_id int not null,
    chunk_id bigint not null,
    body_length int not null,
    title_length int not null,
    is_first_chunk boolean not null,
    -- Scores are computed from these two alone, so they stay in the row, where no search has to unpack them.
    terms bigint[] storage main,
    title_terms bigint[] storage main,
    lexemes text collate "C" not null,
    position_ends smallint[] not null,
    positions smallint[] not null,
    title_frequencies smallint[],
    primary key (tenant_id, chunk_id)
) with (autovacuum_vacuum_scale_factor = 0.05);
comment on table braid_store.forward_rows is
    'The contribution of a chunk to the index, from which scores are computed. lexemes are in "C" order, '
    'separated by spaces. position_ends has for each lexeme the place in positions behind which the next '
    'lexeme''s positions begin. title_frequencies has for each lexeme how many of its first positions are in the '
    'title (null if no lexeme has any). Lengths are in tokens, without stop words. terms has for each lexeme but '
    'stop words its key (term_keys) plus its frequency, ascending, so that scoring finds frequencies without reading '
    'texts; null if a frequency is above 255. title_terms has frequencies in the title in the same form (null if '
    'no lexeme has any). The row of a deleted chunk stays until no segment holds the chunk.';

create table braid_store.tombstones (
    tenant_id int not null,
    collection_id int not null,
    chunk_id bigint not null,
    segment_id bigint not null,
    primary key (tenant_id, collection_id, chunk_id)
) with (autovacuum_vacuum_scale_factor = 0.02);
create index tombstones_segment_idx on braid_store.tombstones (segment_id, tenant_id, collection_id);
comment on table braid_store.tombstones is
    'Deleted chunks that a segment still holds, with the deletion that counts them. Keyed by chunk, never by segment '
    'and local number: a merge that overlaps the delete would resurrect the chunk otherwise.';

-- == Metadata ==

-- Large segments list which chunks have which values of metadata, so that filters on keys that nobody has declared need
-- not read all chunks.

create table braid_store.metadata_lists (
    tenant_id int not null,
    collection_id int not null,
    segment_id bigint not null,
    key text collate "C" not null,
    type text collate "C" not null check (type in ('number', 'text', 'boolean', 'any', 'rest')),
    block int not null,
    number_values float8[],
    text_values text[] collate "C",
    value_ends int[],
    chunk_ids bigint[] storage external not null, -- Compressed ids would have to be unpacked for each search.
    primary key (tenant_id, collection_id, segment_id, key, type, block)
) with (autovacuum_vacuum_scale_factor = 0.05);
comment on table braid_store.metadata_lists is
    E'Lists of the chunks of a segment by the values of a metadata key. A row has the values of one type among 16384 '
    'consecutive chunk numbers (block).\n'
    'The distinct values are in ascending order, shortened and rounded. For each value, value_ends has the index in '
    'chunk_ids at which the chunks of the next value begin. Each element of an array counts as a value. Type any: '
    'chunks that may have any value, such as long arrays. Type rest, with the key "": chunks with keys that are not '
    'listed. maintain() writes the lists; changed_metadata names the chunks changed since then.';

create table braid_store.changed_metadata (
    tenant_id int not null,
    collection_id int not null,
    chunk_id bigint not null,
    change bigint generated always as identity,
    primary key (tenant_id, collection_id, chunk_id, change)
) with (autovacuum_vacuum_scale_factor = 0.02);
comment on table braid_store.changed_metadata is
    'Chunks whose metadata was changed while they were there, a row for each change, so that no writer waits for '
    'another: metadata_lists may be wrong about them. maintain() deletes what it has seen when it lists a block anew.';

-- == Sparse ==

-- Weighted terms of chunks come from outside; their index is here.

create table braid_store.sparse_rows (
    tenant_id int not null,
    collection_id int not null,
    chunk_id bigint not null,
    newer_than bigint not null default 0,
    terms text collate "C" not null,
    weights real[] not null,
    primary key (tenant_id, collection_id, chunk_id)
) with (autovacuum_vacuum_scale_factor = 0.05);
comment on table braid_store.sparse_rows is
    'The weighted terms of a chunk, as they were given: the terms in "C" order, separated by line breaks, and the '
    'weight of each. Sparse scores are computed from it. Segments with ids up to newer_than have older terms of the '
    'chunk. A later segment, or unindexed_sparse_rows, has these.';

create table braid_store.unindexed_sparse_rows (
    tenant_id int not null,
    collection_id int not null,
    id bigint generated always as identity,
    chunk_id bigint not null,
    primary key (tenant_id, collection_id, id)
) with (autovacuum_vacuum_scale_factor = 0.02);
comment on table braid_store.unindexed_sparse_rows is
    'Chunks with new sparse rows, a row for each write. Searches read these sparse rows one by one until maintain(), '
    'or a writer who finds many, puts them into a segment. Rows are only inserted and deleted, and locked rows '
    'passed over, so that nobody waits.';

-- == Vectors ==

-- Embeddings have two levels. chunk_vectors takes every write and is scanned exactly. When a tenant's part of a
-- collection has grown, maintenance moves it into a vector shard, a table of its own with its own HNSW index.

-- A row that fits a page stays in it, so an exact scan never detoasts: 18 instead of 31 ms for 8,000 rows of 1,024
-- dimensions.
create table braid_store.chunk_vectors (
    tenant_id int not null,
    collection_id int not null,
    vector_space_id int not null,
    chunk_id bigint not null,
    embedding @vector@.vector storage external not null,
    primary key (tenant_id, collection_id, vector_space_id, chunk_id)
) with (toast_tuple_target = 8160, autovacuum_vacuum_scale_factor = 0.05);
comment on table braid_store.chunk_vectors is
    'Embeddings as they are written. A row overrides the same chunk''s vector in a vector shard. A chunk with a row '
    'in neither is not embedded yet.';

-- Shards are not partitions of chunk_vectors: a shard has a type of its own (halfvec halves the time of an exact scan).
-- Attaching a partition would lock the table that all tenants read, and make every session plan anew.
create table braid_store.vector_shards (
    tenant_id int not null,
    collection_id int not null,
    vector_space_id int not null,
    id int generated always as identity,
    storage text not null check (storage in ('vector', 'halfvec', 'binary')),
    hnsw_m int not null,
    hnsw_ef_construction int not null,
    state text not null check (state in ('copying', 'indexing', 'serving', 'retired')),
    -- Copying resumes here; once the shard serves, deleting the copied rows resumes here.
    copied_chunk_id bigint not null default -9223372036854775808,
    forgotten_chunk_id bigint not null default -9223372036854775808,
    vector_count bigint not null default 0,
    duplicate_count bigint not null default 0,
    index_type text check (index_type in ('vector', 'halfvec')),
    seconds_needed int check (seconds_needed > 0),
    -- hnsw.ef_search for the 10, and for the 100, nearest, chosen by calibrate_shard; null: the index is not used.
    ef_search int,
    ef_search_100 int,
    ef_search_fused int,
    far_distance float8,
    far_ef_search int check (far_ef_search between 1 and 1000),
    index_recall float8,
    measurement jsonb,
    is_outdated boolean not null default false,
    created_at timestamptz not null default now(),
    served_at timestamptz,
    -- Transactions with a snapshot older than this one may still read a retired shard.
    retired_by xid8,
    primary key (tenant_id, collection_id, vector_space_id, id)
);
create unique index vector_shards_serving_idx on braid_store.vector_shards (tenant_id, collection_id, vector_space_id)
    where state = 'serving';
create unique index vector_shards_moving_idx on braid_store.vector_shards (tenant_id, collection_id, vector_space_id)
    where state in ('copying', 'indexing');
-- Hardly any of thousands of shards is being made.
create index vector_shards_unfinished_idx on braid_store.vector_shards (state, tenant_id) where state <> 'serving';
comment on table braid_store.vector_shards is
    'The vector shards, each a table vectors_<id>. One shard serves a tenant''s part of a collection; the next one '
    'is copied and indexed beside it. The change-over is a change of data, which every reader sees from its next '
    'snapshot on.';
comment on column braid_store.vector_shards.duplicate_count is
    'The greatest number of vectors that are left out of the index because an equal vector is in it.';
comment on column braid_store.vector_shards.index_type is
    'If storage is vector, the type of the HNSW index: halfvec, or vector if halfvec cannot hold the vectors or '
    'cannot tell them apart. Null: not decided yet, or another storage, whose index has the stored type.';
comment on column braid_store.vector_shards.seconds_needed is
    'The time_budget that its index needs, about, while the index waits for a call of maintain() with enough time. '
    'Null: it does not wait.';
comment on column braid_store.vector_shards.ef_search_fused is
    'hnsw.ef_search for the 10 nearest in a search that also ranks by full text, chosen by choose_ef_search; null: '
    'as ef_search.';
comment on column braid_store.vector_shards.far_distance is
    'The greatest distance of the tenth nearest at which an answer of the index has the measured quality; for inner '
    'products, divided by the length of the query. Farther answers are searched again. Null: not measured.';
comment on column braid_store.vector_shards.far_ef_search is
    'hnsw.ef_search for searches whose answer is beyond far_distance; null: these searches compare all vectors.';
comment on column braid_store.vector_shards.measurement is
    'The index recall at the last measurement, by the making of the shard or by braid.measure_index_recall.';

create table braid_store.centroids (
    tenant_id int not null,
    collection_id int not null,
    vector_space_id int not null,
    mean @vector@.vector not null,
    mean_square float8 not null,
    vector_count bigint not null,
    computed_at timestamptz not null default clock_timestamp(),
    primary key (tenant_id, collection_id, vector_space_id)
);
comment on table braid_store.centroids is
    'The mean of the vectors of a tenant''s part of a collection, and the mean of their squared lengths, for parts '
    'with over 1000 vectors. Under cosine, vectors are first normalised to length 1. Only maintenance writes it, so '
    'that no write waits for it.';

create table braid_store.vector_settings (
    only_row boolean primary key default true check (only_row),
    exact_rows int not null default 8000 check (exact_rows > 0)
);
comment on table braid_store.vector_settings is
    'One row: the number of vectors of 384 dimensions from which an index is faster than a scan, as '
    'braid.calibrate() measured it.';
comment on column braid_store.vector_settings.only_row is 'Always true: it keeps the table at one row.';
comment on column braid_store.vector_settings.exact_rows is
    'The number of vectors of 384 dimensions from which an index is worth making. With more dimensions, fewer '
    'vectors are enough.';
insert into braid_store.vector_settings default values;

-- A job is claimed once and deleted. fillfactor leaves space for the claimed version beside the first, so that its
-- index needs no second entry (a heap-only update).
create table braid_store.embedding_jobs (
    tenant_id int not null,
    collection_id int not null,
    vector_space_id int not null,
    chunk_id bigint not null,
    attempts int not null default 0,
    claimed_until timestamptz,
    last_error text,
    primary key (tenant_id, collection_id, vector_space_id, chunk_id)
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02);
comment on table braid_store.embedding_jobs is
    'The outbox: chunks that wait for their embedding in a vector space. The transaction that writes a chunk writes '
    'its job.';

-- == Upkeep ==

-- Writers and administrators note due upkeep here, so that maintain() examines nothing else.

create table braid_store.due_parts (
    tenant_id int not null,
    collection_id int not null,
    id bigint generated always as identity,
    task text not null check (task in ('visit', 'move_vectors', 'index_attributes', 'rebuild_index')),
    due_at timestamptz not null default clock_timestamp(),
    -- Every transaction that may have relied on this note instead of writing its own has an id below this one.
    awaits xid8,
    primary key (tenant_id, collection_id, id)
) with (autovacuum_vacuum_scale_factor = 0.02);
create index due_parts_due_at_idx on braid_store.due_parts (task, due_at, tenant_id) where awaits is null;
create index due_parts_awaits_idx on braid_store.due_parts (awaits, tenant_id) where awaits is not null;
comment on table braid_store.due_parts is
    'The tenants'' parts of collections that are due for maintenance. Tasks: visit, after a write; move_vectors and '
    'index_attributes, after a visit that found this work; rebuild_index, after an upgrade that changed the tokens '
    'of some texts. A writer that finds a visit noted, and nobody working on it, adds none. So maintenance deletes a '
    'note only when all writers that may have found it have ended: until then it awaits them.';

create table braid_store.due_collections (
    id int generated always as identity primary key,
    collection_id int not null,
    reached_tenant_id int not null default 0,
    -- The last note of due_parts when all tenants had been noted.
    noted_until bigint
);
comment on table braid_store.due_collections is
    'Collections whose definition has changed, so that maintenance must visit the parts of all tenants: it notes '
    'them in the order of tenants.';

create table braid_store.upkeep_rates (
    only_row boolean primary key default true check (only_row),
    postings_per_second float8 check (postings_per_second > 0)
);
comment on table braid_store.upkeep_rates is
    'One row: this server''s measured rate of merging postings; null before the first measurement. With it, '
    'maintenance begins a merge, which it cannot interrupt, only if its time suffices.';
insert into braid_store.upkeep_rates default values;

-- == Locks ==

-- Writers, administrators and maintenance lock these tables. Advisory locks have no privileges: every login could take
-- them.

-- The schema is left behind if somebody has dropped the other schemas by hand.
do $$
declare
  v_table regclass;
begin
  for v_table in
    select c.oid from pg_class c where c.relnamespace = 'braid_locks'::regnamespace and c.relkind = 'r'
  loop
    execute format('drop table %s', v_table);
  end loop;
end
$$;

-- The tables are empty: only their locks matter. A collection uses the table numbered by its id modulo their count.
do $$
begin
  for n in 0..63 loop
    execute format('create table braid_locks.collection_%s ()', n);
    execute format('comment on table braid_locks.collection_%s is %L', n, 'The lock of a collection.');
  end loop;
end
$$;

create table braid_locks.tenant_locks (
    tenant_id int not null,
    slot int not null check (slot between 0 and 7),
    kind text collate "C" not null check (kind in ('writing', 'turn', 'shards')),
    primary key (tenant_id, slot, kind)
);
comment on table braid_locks.tenant_locks is
    'Rows that are only ever locked. A tenant''s part of a collection has the slot of the collection''s id modulo 8. '
    'writing: writers share it; clears, imports, rebuilds and drops take it alone. turn: a session that waits to '
    'take writing alone holds it, and writers who come later wait behind. shards: the session that makes vector '
    'shards holds it.';

-- == The row types of the API ==

-- Views and client code depend on these types, so they stand in a migration. Functions return the types of braid_store.
-- The types of braid are equal to them, because users cannot name objects of braid_store.

create type braid_store.search_result as (
    chunk_id bigint,
    document_id bigint,
    external_id text,
    chunk_index int,
    title text,
    content text,
    source_uri text,
    speaker text,
    category text,
    importance float8,
    occurred_at timestamptz,
    created_at timestamptz,
    token_count int,
    metadata jsonb,
    score float8,
    full_text_score float8,
    full_text_normalised_score float8,
    full_text_rank int,
    semantic_score float8,
    semantic_normalised_score float8,
    semantic_rank int,
    snippet text,
    fused_score float8,
    boosts jsonb,
    group_score float8,
    passage text,
    passage_start int,
    passage_end int,
    cursor text,
    sparse_score float8,
    sparse_normalised_score float8,
    sparse_rank int
);
comment on type braid_store.search_result is
    'A row of a search: a chunk with its text, its scores and its ranks. Rows are ordered by score, which is '
    'fused_score after boosts; fused_score is the fusion of the normalised scores. full_text_score is BM25, '
    'semantic_score the similarity. Ranks begin at 1, and are null if the leg did not find the chunk. snippet, '
    'boosts, group_score, passage, passage_start, passage_end and cursor are null unless an option asks for them.';
comment on column braid_store.search_result.chunk_id is
    'The chunk. highlight, explain_score and similar_chunks take this id.';
comment on column braid_store.search_result.document_id is 'The document that the chunk is a part of.';
comment on column braid_store.search_result.external_id is 'The id that the user gave the document.';
comment on column braid_store.search_result.chunk_index is 'The place of the chunk in its document, from 0.';
comment on column braid_store.search_result.title is 'The title of the document.';
comment on column braid_store.search_result.content is 'The text of the chunk.';
comment on column braid_store.search_result.source_uri is 'Where the document came from.';
comment on column braid_store.search_result.speaker is 'The speaker of the text.';
comment on column braid_store.search_result.category is 'The category that the user gave the text.';
comment on column braid_store.search_result.importance is 'The importance that the user gave the text.';
comment on column braid_store.search_result.occurred_at is
  'The time of the event that the text is about, as the user gave it.';
comment on column braid_store.search_result.created_at is 'When the chunk was written.';
comment on column braid_store.search_result.token_count is
  'The estimated number of tokens of the embedding model in the text.';
comment on column braid_store.search_result.metadata is
    'The document''s metadata; keys that the chunk has itself take precedence.';
comment on column braid_store.search_result.score is 'The score that rows are ordered by: fused_score after boosts.';
comment on column braid_store.search_result.full_text_score is
    'The BM25 score, 0 if the chunk has none of the words. Null if there was no full-text search, or if, with the '
    'fusion rrf, it did not find the chunk.';
comment on column braid_store.search_result.full_text_normalised_score is
    'The BM25 score on the scale that the fusion uses.';
comment on column braid_store.search_result.full_text_rank is
    'The rank in the full text search, from 1. Null if it did not find the chunk among its candidates.';
comment on column braid_store.search_result.semantic_score is
    'The similarity of query and chunk. Null if there was no semantic search, if the chunk is not embedded yet, or '
    'if, with the fusion rrf, semantic search did not find it.';
comment on column braid_store.search_result.semantic_normalised_score is
    'The similarity on the scale that the fusion uses.';
comment on column braid_store.search_result.semantic_rank is
    'The rank in the semantic search, from 1. Null if it did not find the chunk among its candidates.';
comment on column braid_store.search_result.snippet is
    'The best passages of the text with the query''s words marked. Null unless the option snippet asks for it.';
comment on column braid_store.search_result.fused_score is 'The fused score, before boosts.';
comment on column braid_store.search_result.boosts is
    'Each boost with its value and its effect on the score. Null unless the option boosts asks for some.';
comment on column braid_store.search_result.group_score is
    'The score of the row''s group, by which groups are ordered. Null unless the option group_by asks for groups.';
comment on column braid_store.search_result.passage is
    'The text of the chunk with its neighbours. Null unless context_before or context_after ask for it.';
comment on column braid_store.search_result.passage_start is 'The chunk_index of the first chunk of the passage.';
comment on column braid_store.search_result.passage_end is 'The chunk_index of the last chunk of the passage.';
comment on column braid_store.search_result.cursor is
    'On the last row of a page: the value of the option cursor that gives the next page. Null on all other rows, and '
    'if there is no next page.';
comment on column braid_store.search_result.sparse_score is
    'The sum of weight in the query × weight in the chunk, over the terms that both have; 0 if they share none. Null '
    'if there was no sparse search, or if, with the fusion rrf, it did not find the chunk.';
comment on column braid_store.search_result.sparse_normalised_score is
    'The sparse score on the scale that the fusion uses.';
comment on column braid_store.search_result.sparse_rank is
    'The rank in the sparse search, from 1. Null if it did not find the chunk among its candidates.';

create type braid_store.write_result as (
    external_id text,
    document_id bigint,
    status text,
    chunk_count int
);
comment on type braid_store.write_result is
    'The result of writing a document: inserted, replaced (new chunks), updated (attributes only), unchanged, or '
    'superseded by a later one with the same external_id in the batch.';
comment on column braid_store.write_result.external_id is 'The id that the user gave the document.';
comment on column braid_store.write_result.document_id is 'The number that pgbraid gave the document.';
comment on column braid_store.write_result.status is
    'inserted, replaced (it has new chunks), updated (only what filters and results show), unchanged, or superseded '
    'by a later document of the batch with the same external_id.';
comment on column braid_store.write_result.chunk_count is 'How many chunks the document has now.';

do $$
declare
  v_name text;
begin
  foreach v_name in array '{search_result,write_result}'::text[] loop
    execute (
      select format('create type braid.%I as (%s)', v_name,
                    string_agg(format('%I %s', a.attname, format_type(a.atttypid, a.atttypmod)), ', '
                               order by a.attnum))
      from pg_catalog.pg_attribute a
      where a.attrelid = format('braid_store.%I', v_name)::regclass and a.attnum > 0);
    execute (
      select string_agg(format('comment on column braid.%I.%I is %L', v_name, a.attname,
                               col_description(a.attrelid, a.attnum)), '; ')
      from pg_catalog.pg_attribute a
      where a.attrelid = format('braid_store.%I', v_name)::regclass and a.attnum > 0);
  end loop;
end
$$;
comment on type braid.search_result is 'The row type of searches. Your own functions can return it.';
comment on type braid.write_result is
  'The row type of functions that write documents. Your own functions can return it.';
