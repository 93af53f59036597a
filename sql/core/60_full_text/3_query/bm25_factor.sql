create or replace function braid_store.bm25_factor(collection braid_store.collections)
returns float8
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
begin
  return case bm25_factor.collection.bm25_variant when 'okapi' then bm25_factor.collection.k1 + 1 else 1 end;
end
$$;

comment on function braid_store.bm25_factor(braid_store.collections) is
  'Return the factor that multiplies each BM25 score of a collection. It is k1 + 1 in the classic formula (Robertson '
  'et al. 1994, "Okapi at TREC-3"), and 1 in Lucene''s, which omits it (Kamphuis et al. 2020). The weights of a '
  'compiled query contain this factor.';
