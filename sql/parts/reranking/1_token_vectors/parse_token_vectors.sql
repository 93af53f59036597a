create or replace function braid_store.parse_token_vectors(token_vectors jsonb, vectors_name text)
returns @vector@.halfvec[]
language plpgsql
immutable
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  c_hint constant text := 'Give an array of vectors, each an array of finite numbers or a string ''[0.1, ...]''.';
begin
  if jsonb_typeof(parse_token_vectors.token_vectors) is distinct from 'array' then
    raise exception '% is %', parse_token_vectors.vectors_name,
                    coalesce('a JSON ' || jsonb_typeof(parse_token_vectors.token_vectors), 'null')
      using errcode = '22023', hint = c_hint;
  end if;
  return array(
    select (v.value #>> '{}')::@vector@.halfvec
    from jsonb_array_elements(parse_token_vectors.token_vectors) with ordinality v
    order by v.ordinality);
exception when data_exception or program_limit_exceeded then
  if sqlstate = '22023' then
    raise;
  end if;
  raise exception '% has an element that is not a vector: %', parse_token_vectors.vectors_name, left(sqlerrm, 200)
    using errcode = '22023', hint = c_hint;
end
$$;

comment on function braid_store.parse_token_vectors(jsonb, text) is
  'Convert the vectors of tokens from JSON. Raise 22023 for malformed vectors. vectors_name: the name of the vectors '
  'in messages.';
