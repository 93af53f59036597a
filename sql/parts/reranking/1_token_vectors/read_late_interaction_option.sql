create or replace function braid_store.read_late_interaction_option(given jsonb)
returns jsonb
language plpgsql
immutable
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  c_most_vectors constant int := 128;
  v_wrong record;
begin
  select o.key, left(o.value::text, 100) as value,
         coalesce(k.hint, 'Its keys are: vectors, embedding_model, candidates, weight.') as hint
  into v_wrong
  from jsonb_each(given) o
  left join (values
    ('vectors', 'Give the vectors of the query''s tokens: [[0.1, ...], ...], 1 to 128 of them.'),
    ('embedding_model', 'Give the name of the model that made the vectors.'),
    ('candidates', 'Use a whole number from 1 to 1000, usually 50.'),
    ('weight', 'Use 0, or a number from 1e-9 to 1.')
  ) k (name, hint) on k.name = o.key
  where case o.key
          when 'vectors' then jsonb_typeof(o.value) = 'array' and jsonb_array_length(o.value) between 1
            and c_most_vectors
          when 'embedding_model' then jsonb_typeof(o.value) in ('string', 'null')
          when 'candidates' then o.value = 'null' or braid_store.is_whole_number(o.value, 1, 1000)
          when 'weight' then o.value = 'null' or braid_store.is_number(o.value, 1e-9, 1)
            or braid_store.is_number(o.value, 0, 0)
        end is not true
  order by o.key
  limit 1;
  if found then
    raise exception 'option late_interaction: % is %', left(v_wrong.key, 100), v_wrong.value
      using errcode = '22023', hint = v_wrong.hint;
  elsif not given ? 'vectors' then
    raise exception 'option late_interaction has no vectors'
      using errcode = '22023', hint = 'Give the vectors of the query''s tokens: {"vectors": [[0.1, ...], ...]}.';
  end if;
  return jsonb_build_object(
    'vectors', braid_store.parse_token_vectors(given -> 'vectors', 'option late_interaction: vectors')::text[],
    'embedding_model', given -> 'embedding_model',
    'candidates', coalesce((given ->> 'candidates')::float8::int, 50),
    'weight', coalesce((given ->> 'weight')::float8, 0.5));
end
$$;

comment on function braid_store.read_late_interaction_option(jsonb) is
  'Return the option late_interaction with its defaults, its vectors as text. given: its JSON value, an object. '
  'Raise 22023 for values that cannot be used. prepare_token_vectors checks whether the collection has token vectors.';
