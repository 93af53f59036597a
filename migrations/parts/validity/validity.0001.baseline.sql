-- Documents that are due are found by their own times, because a document need not have a chunk.
-- depends: 0001.baseline

-- They are partial so that the planner takes them for nothing else.
create index documents_expiry_idx on braid_store.documents
    (tenant_id, collection_id, ((metadata ->> 'expires_at') collate "C")) where metadata ? 'expires_at';
create index documents_occurred_idx on braid_store.documents (tenant_id, collection_id, occurred_at)
    where occurred_at is not null;
