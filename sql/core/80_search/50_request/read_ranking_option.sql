create or replace function braid_store.read_ranking_option(inout options braid_store.search_options)
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  v_normalisation jsonb := options.ranking -> 'normalisation';
  v_leg text;
  v_value jsonb;
begin
  if jsonb_typeof(v_normalisation) = 'object' then
    for v_leg, v_value in select n.key, n.value from jsonb_each(v_normalisation) n loop
      if v_leg not in ('full_text', 'semantic', 'sparse') then
        raise exception 'ranking: normalisation has an unknown key "%"', left(v_leg, 100)
          using errcode = '22023', hint = 'The keys are: full_text, semantic, sparse.';
      elsif jsonb_typeof(v_value) <> 'string' then
        raise exception 'ranking: normalisation: % is %', v_leg, left(v_value::text, 100)
          using errcode = '22023', hint = 'Give the name of a normalisation, such as centroid.';
      elsif v_value #>> '{}' not in ('minmax', 'theoretical', 'centroid', 'zscore', 'saturate', 'none') then
        raise exception 'normalisation is ''%''', left(v_value #>> '{}', 255)
          using errcode = '22023', hint = 'Use minmax, theoretical, centroid, zscore, saturate or none.';
      end if;
    end loop;
    options.full_text_normalisation := v_normalisation ->> 'full_text';
    options.semantic_normalisation := v_normalisation ->> 'semantic';
    options.sparse_normalisation := v_normalisation ->> 'sparse';
    options.ranking := options.ranking - 'normalisation';
  end if;
  v_value := options.ranking -> 'saturate_at';
  if v_value <> 'null' and not braid_store.is_number(v_value, 1e-9, 1e9) then
    raise exception 'ranking: saturate_at is %', left(v_value::text, 100)
      using errcode = '22023', hint = 'Give the BM25 score that counts as 1, from 1e-9 to 1e9.';
  end if;
  options.saturate_at := v_value::text::float8;
  options.ranking := nullif(options.ranking - 'saturate_at', '{}');
end
$$;

comment on function braid_store.read_ranking_option(braid_store.search_options) is
  'Return options with two keys of the option ranking moved to their own attributes: a normalisation for each leg, '
  'and saturate_at, which no collection can have. ranking keeps the other keys, and is null without any. Raise 22023 '
  'for values that cannot be used.';
