-- Documents as segments, and what documents get that do not say it themselves. Collections that exist are as before.
-- depends: 0023.embedding_usage

alter table braid_store.collections
    add column overlap_tokens int,
    add column default_occurred_at text;
comment on column braid_store.collections.overlap_tokens is
    'How many tokens of a chunk the next one repeats at most. Null: a tenth of a chunk.';
comment on column braid_store.collections.default_occurred_at is
    'The time of documents that have none: now, when they are first written. Null: they have none.';

-- No table and no view has this type.
alter type braid_store.document_input
    add attribute segments jsonb,
    add attribute chunk_tokens int,
    add attribute overlap_tokens int;
