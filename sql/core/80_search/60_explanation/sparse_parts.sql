create or replace function braid_store.sparse_parts(
  tenant_id int,
  collection_id int,
  query braid_store.text_query,
  chunk_id bigint
)
returns jsonb
language sql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
set extra_float_digits = 1
as $$
  select coalesce(
    jsonb_agg(jsonb_build_object('term', q.term, 'query_weight', q.weight, 'weight', t.weight::float8,
                                 'contribution', q.weight * t.weight)
              order by q.weight * t.weight desc, q.place),
    '[]')
  from braid_store.sparse_rows r,
       unnest(string_to_array(r.terms, E'\n'), r.weights) t (term, weight)
  join unnest((sparse_parts.query).terms, (sparse_parts.query).weights) with ordinality q (term, weight, place)
    on q.term = t.term
  where r.tenant_id = sparse_parts.tenant_id and r.collection_id = sparse_parts.collection_id
    and r.chunk_id = sparse_parts.chunk_id;
$$;

comment on function braid_store.sparse_parts(int, int, braid_store.text_query, bigint) is
  'Return what each term adds to the sparse score of a chunk, as JSON, highest first. A term adds its weight in the '
  'query × its weight in the chunk. The score is the sum in the order of the terms.';
