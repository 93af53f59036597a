create or replace function braid_store.check_sparse_terms(terms jsonb[], names text[])
returns void
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  c_max_terms constant int := 4096;
  c_max_bytes constant int := 255;
  v_wrong record;
begin
  select t.name, jsonb_typeof(t.terms) as type into v_wrong
  from unnest(check_sparse_terms.terms, check_sparse_terms.names) t (terms, name)
  where jsonb_typeof(t.terms) is distinct from 'object'
  limit 1;
  if found then
    raise exception '% is %', v_wrong.name, coalesce('a JSON ' || v_wrong.type, 'null')
      using errcode = '22023',
        hint = 'Give an object of terms and their weights, such as {"harbour": 1.2, "ship": 0.4}.';
  end if;
  select n.name, n.count into v_wrong
  from (
    select t.name, (select count(*) from jsonb_object_keys(t.terms)) as count
    from unnest(check_sparse_terms.terms, check_sparse_terms.names) t (terms, name)
  ) n
  where n.count > c_max_terms
  limit 1;
  if found then
    raise exception '% has % terms, more than %', v_wrong.name, v_wrong.count, c_max_terms
      using errcode = '54000', hint = 'Keep the terms with the highest weights.';
  end if;
  -- Weights have single precision, as in the vectors of models. The bounds in gather_candidates have it, too: the ratio
  -- of a query's weights times the ratio of the chunks' weights must fit into it.
  select t.name, e.key, e.value, octet_length(e.key) as bytes into v_wrong
  from unnest(check_sparse_terms.terms, check_sparse_terms.names) t (terms, name), jsonb_each(t.terms) e
  where octet_length(e.key) not between 1 and c_max_bytes or strpos(e.key, E'\n') > 0
     or case when jsonb_typeof(e.value) = 'number' then (e.value)::numeric not between 1e-6 and 1e6 else true end
  limit 1;
  if found and (v_wrong.bytes not between 1 and c_max_bytes or strpos(v_wrong.key, E'\n') > 0) then
    raise exception '% has a term of % bytes%', v_wrong.name, v_wrong.bytes,
                    case when strpos(v_wrong.key, E'\n') > 0 then ' with a line break' else '' end
      using errcode = '22023', hint = 'A term has 1 to 255 bytes and no line break.';
  elsif found then
    raise exception '%: the weight of "%" is %', v_wrong.name, left(v_wrong.key, 100), left(v_wrong.value::text, 100)
      using errcode = '22023', hint = 'Give a number from 1e-6 to 1e6, and leave out terms of weight 0.';
  end if;
end
$$;

comment on function braid_store.check_sparse_terms(jsonb[], text[]) is
  'Raise 22023 or 54000 if a value is not a valid object of terms and weights. names: how error messages name each '
  'value.';
