-- What a search reads of a tenant's vectors is found once and handed on.
-- depends: 0037.segment_lists

alter type braid_store.serving_shard add attribute has_written boolean;
alter type braid_store.found_candidates add attribute shard braid_store.serving_shard;

-- As choose_ef_search does now: what was measured less its standard error.
update braid_store.vector_shards s
set ef_search_fused = least(s.ef_search, (
      select min(w.ef_search)
      from jsonb_to_recordset(s.measurement -> 'widths') w (ef_search int, recall_10 float8, error_10 float8)
      where w.recall_10 - coalesce(w.error_10, 0) >= 0.985))
where s.ef_search is not null and s.measurement is not null;
