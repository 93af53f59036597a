create or replace function braid_store.explain_terms(
  tenant_id int,
  collection braid_store.collections,
  query braid_store.text_query
)
returns jsonb
language sql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  select jsonb_build_object(
    'term_statistics', coalesce(jsonb_agg(
      jsonb_build_object('term', t.term, 'lexemes', t.lexemes, 'document_frequency', t.document_frequency, 'idf', t.idf,
                         'weight', t.weight) order by t.term_number), '[]'),
    'expanded', coalesce(
      jsonb_object_agg(t.term, to_jsonb(t.lexemes)) filter (where t.lexemes <> array[t.term]), '{}'),
    'postings', coalesce(max((explain_terms.query).posting_count), 0),
    'segments', (
      select count(*)
      from braid_store.segments s
      where s.tenant_id = explain_terms.tenant_id and s.collection_id = (explain_terms.collection).id
        and not s.is_deletion))
  from braid_store.term_statistics(explain_terms.collection, explain_terms.query) t;
$$;

comment on function braid_store.explain_terms(int, braid_store.collections, braid_store.text_query) is
  'Return what the option explain adds to a search''s stats about full text. It adds the statistics of each term, '
  'the lexemes that prefixes and synonyms stand for, and the numbers of postings and segments.';
