create or replace function braid_store.check_search_arguments(
  match_count int,
  full_text_weight float8,
  semantic_weight float8,
  rrf_k float8,
  candidate_count int,
  min_score float8
)
returns void
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  v_wrong record;
begin
  -- The common case comes first: planning the statement below would cost a session's first search 1 ms.
  if match_count between 1 and 10000
     and (candidate_count is null or candidate_count between 1 and 100000)
     and coalesce(full_text_weight, semantic_weight, rrf_k, min_score) is null then
    return;
  end if;
  select * into v_wrong
  from (values
    ('match_count', match_count::text, match_count between 1 and 10000, 'Use 1 to 10000.'),
    ('candidate_count', candidate_count::text, candidate_count is null or candidate_count between 1 and 100000,
     'Use 1 to 100000, or null for max(100, 4 times match_count).'),
    ('full_text_weight', full_text_weight::text,
     full_text_weight is null or braid_store.is_weight(full_text_weight),
     'Use 0, or a number from 1e-9 to 1e9.'),
    ('semantic_weight', semantic_weight::text,
     semantic_weight is null or braid_store.is_weight(semantic_weight),
     'Use 0, or a number from 1e-9 to 1e9.'),
    ('rrf_k', rrf_k::text, rrf_k is null or rrf_k between 0 and 1e9, 'Use a number from 0 to 1e9, usually 60.'),
    ('min_score', min_score::text, min_score is null or min_score <> 'NaN', 'Use a number.')
  ) argument (name, value, is_valid, hint)
  where argument.is_valid is not true;
  if found then
    raise exception '% is %', v_wrong.name, coalesce(v_wrong.value, 'null')
      using errcode = '22023', hint = v_wrong.hint;
  end if;
end
$$;

comment on function braid_store.check_search_arguments(int, float8, float8, float8, int, float8) is
  'Raise 22023, with the argument''s name, for a number that a search cannot use.';
