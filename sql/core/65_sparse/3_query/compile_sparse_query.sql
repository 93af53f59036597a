create or replace function braid_store.compile_sparse_query(
  collection braid_store.collections,
  given jsonb,
  query_text text
)
returns braid_store.text_query
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set jit = off
as $$
declare
  c_max_terms constant int := 1000;
  v_terms text[];
  v_weights float8[];
  v_query braid_store.text_query := braid_store.empty_query();
begin
  if jsonb_typeof(given) = 'object' then
    perform braid_store.check_sparse_terms(array[given], '{option sparse}');
    if (select count(*) from jsonb_object_keys(given)) > c_max_terms then
      raise exception 'option sparse has % terms, more than %', (select count(*) from jsonb_object_keys(given)), c_max_terms
        using errcode = '54000', hint = 'Keep those with the highest weights.';
    end if;
    select array_agg(e.key), array_agg((e.value)::float8) into v_terms, v_weights from jsonb_each(given) e;
  else
    select array_agg(e.term), array_agg(e.weight) into v_terms, v_weights
    from braid_store.encode_sparse_query(collection.sparse_encoder, query_text) e;
  end if;
  select coalesce(array_agg(t.term order by t.term), '{}'), coalesce(array_agg(t.weight order by t.term), '{}'),
         coalesce(array_agg(braid_store.sparse_lexeme(t.term) order by t.term), '{}')
  into v_query.terms, v_query.weights, v_query.lexemes
  from (
    select u.term collate "C" as term, u.weight
    from unnest(v_terms, v_weights) u (term, weight)
    order by u.weight desc, u.term collate "C"
    limit c_max_terms
  ) t;
  return v_query;
end
$$;

comment on function braid_store.compile_sparse_query(braid_store.collections, jsonb, text) is
  'The weighted terms that a search looks for, in "C" order. given: the option sparse, an object of terms and weights; else '
  'the collection''s sparse encoder makes them of query_text. Raises 22023 or 54000 for terms that cannot be used.';
