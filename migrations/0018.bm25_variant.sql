-- Whether BM25 has the classic factor k1 + 1. Collections that exist have none, as before.
-- depends: 0017.unchanged_chunks

alter table braid_store.collections
    add column bm25_variant text not null default 'lucene';
comment on column braid_store.collections.bm25_variant is
    'How high BM25 scores are: lucene, or okapi, which has them k1 + 1 times as high.';
