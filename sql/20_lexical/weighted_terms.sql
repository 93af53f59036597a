create or replace function braid_store.weighted_terms(
  tenant_id int,
  collection_id int,
  chunk_count bigint,
  query_text text,
  text_config text,
  fold_diacritics boolean
)
returns table (lexeme text, word_number int, document_frequency bigint, weight float8, is_kept boolean)
language sql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  select f.lexeme, f.word_number, f.document_frequency,
         -- Lucene's idf, which is never negative (BM25Similarity; Robertson & Zaragoza 2009, section 3.1, plus 1).
         f.frequency * ln(1 + (weighted_terms.chunk_count - f.document_frequency + 0.5) / (f.document_frequency + 0.5)),
         f.document_frequency > 0
         and row_number() over (order by f.document_frequency = 0, f.document_frequency, f.lexeme collate "C") <= 64
  from (
    select q.lexeme, q.word_number, q.frequency,
           (select coalesce(sum(p.chunk_count), 0)
            from braid_store.postings p
            where p.tenant_id = weighted_terms.tenant_id and p.collection_id = weighted_terms.collection_id
              and p.lexeme = q.lexeme)::float8
           - (select count(*)
              from braid_store.tombstone_terms t
              where t.tenant_id = weighted_terms.tenant_id and t.collection_id = weighted_terms.collection_id
                and t.lexeme = q.lexeme) as document_frequency
    from braid_store.query_terms(weighted_terms.query_text, weighted_terms.text_config,
                                 weighted_terms.fold_diacritics) q
  ) f;
$$;

comment on function braid_store.weighted_terms(int, int, bigint, text, text, boolean) is
  'The lexemes of a query with their exact document frequency in live chunks and their weight (times in the query × '
  'idf). Of those that occur, the 64 most selective are kept.';
