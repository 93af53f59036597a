-- What a search reads of a tenant's vectors is found once and handed on.
-- depends: 0037.segment_lists

alter type braid_store.serving_shard add attribute has_written boolean;
alter type braid_store.found_candidates add attribute shard braid_store.serving_shard;
