-- What embedding services did is kept for some time only.
-- depends: 0031.phrase_synonyms

create index embedding_usage_day_idx on braid_store.embedding_usage (day, tenant_id);
