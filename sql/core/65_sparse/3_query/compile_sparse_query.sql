create or replace function braid_store.compile_sparse_query(terms jsonb, is_given boolean)
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
  v_query braid_store.text_query := braid_store.empty_query();
begin
  if is_given then
    perform braid_store.check_sparse_terms(array[terms], '{option sparse}');
    if (select count(*) from jsonb_object_keys(terms)) > c_max_terms then
      raise exception 'option sparse has % terms, more than %', (select count(*) from jsonb_object_keys(terms)),
        c_max_terms
        using errcode = '54000', hint = 'Keep the terms with the highest weights.';
    end if;
  end if;
  select coalesce(array_agg(t.term order by t.term), '{}'), coalesce(array_agg(t.weight order by t.term), '{}'),
         coalesce(array_agg(t.term order by t.term), '{}')
  into v_query.terms, v_query.weights, v_query.lexemes
  from (
    select e.key collate "C" as term, (e.value)::float8 as weight
    from jsonb_each(compile_sparse_query.terms) e
    order by 2 desc, 1
    limit c_max_terms
  ) t;
  return v_query;
end
$$;

comment on function braid_store.compile_sparse_query(jsonb, boolean) is
  'Return the weighted terms that a search looks for, in "C" order. terms: an object of terms and weights. is_given: '
  'whether the terms come from the option sparse; if so, raise 22023 or 54000 for invalid terms.';
