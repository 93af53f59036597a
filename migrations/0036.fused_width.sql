-- How widely the index of a vector shard is searched where full text fills most of the page.
-- depends: 0035.ranking_versions

alter table braid_store.vector_shards add column ef_search_fused int;
alter table braid_store.vector_shards alter column ef_search_fused set statistics 0;
comment on column braid_store.vector_shards.ef_search_fused is
    'hnsw.ef_search for the 10 nearest in a search that also ranks by full text, as choose_ef_search chose it; null: as ef_search.';
alter type braid_store.serving_shard add attribute ef_search_fused int;

-- As choose_ef_search does.
update braid_store.vector_shards s
set ef_search_fused = least(s.ef_search, (
      select min(w.ef_search)
      from jsonb_to_recordset(s.measurement -> 'widths') w (ef_search int, recall_10 float8)
      where w.recall_10 >= 0.985))
where s.ef_search is not null and s.measurement is not null;
