create or replace function braid_store.arrangement_options(
  options jsonb,
  out is_asked boolean,
  out group_by text,
  out group_size int,
  out group_score text,
  out collapse boolean,
  out collapse_similarity float8,
  out diversify boolean,
  out diversify_lambda float8,
  out context boolean,
  out context_before int,
  out context_after int,
  out cursor text
)
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  c_keys constant text[] :=
    '{group_by,group_size,group_score,collapse,diversify,context_before,context_after,cursor}';
  -- Columns of the results, not keys of metadata.
  c_not_grouped constant text[] := array['', 'chunk_id', 'chunk_index', 'content', 'created_at', 'occurred_at', 'score', 'title',
                                         'token_count'];
  v_given jsonb;
  v_wrong record;
begin
  is_asked := coalesce(jsonb_typeof(options) = 'object' and options ?| c_keys, false);
  if not is_asked then
    return;
  end if;
  select coalesce(jsonb_object_agg(o.key, o.value), '{}') into v_given
  from jsonb_each(options) o
  where o.key = any(c_keys) and o.value <> 'null';

  select w.* into v_wrong
  from (
    select o.key, o.value,
           case
             when o.key = 'group_by'
               then jsonb_typeof(o.value) = 'string' and o.value #>> '{}' <> all (c_not_grouped)
                    and not o.value #>> '{}' ^@ '$'
             when o.key = 'group_size' then braid_store.is_whole_number(o.value, 1, 100)
             when o.key = 'group_score' then o.value in ('"max"', '"sum"', '"mean"')
             when o.key in ('collapse', 'diversify') then jsonb_typeof(o.value) in ('boolean', 'object')
             when o.key = 'cursor' then jsonb_typeof(o.value) = 'string'
             else braid_store.is_whole_number(o.value, 0, 100)
           end as is_valid,
           case
             when o.key = 'group_by'
               then 'Use "document", "speaker", "category", "language", "importance", "source_uri" or a metadata key; one of the '
                    'name of a column is written "metadata.title".'
             when o.key = 'group_size' then 'Use a whole number from 1 to 100.'
             when o.key = 'group_score' then 'Use "max", "sum" or "mean".'
             when o.key = 'collapse' then 'Use true for equal texts, or {"similarity": 0.97} for vectors alike too.'
             when o.key = 'diversify' then 'Use true or {"lambda": 0.5}.'
             when o.key = 'cursor' then 'Use "" for the first page, then the cursor of the last row.'
             else 'Use a whole number from 0 to 100.'
           end as hint
    from jsonb_each(v_given) o
    union all
    select 'collapse: ' || o.key, o.value,
           o.key = 'similarity' and (o.value = 'null' or braid_store.is_number(o.value, 0, 1)),
           'Its only key is similarity, a cosine from 0 to 1.'
    from jsonb_each(case jsonb_typeof(v_given -> 'collapse') when 'object' then v_given -> 'collapse' else '{}' end) o
    union all
    select 'diversify: ' || o.key, o.value,
           o.key = 'lambda' and (o.value = 'null' or braid_store.is_number(o.value, 0, 1)),
           'Its only key is lambda, from 0, only variety, to 1, only the score.'
    from jsonb_each(case jsonb_typeof(v_given -> 'diversify') when 'object' then v_given -> 'diversify' else '{}' end) o
    union all
    select g.key, v_given -> g.key, not v_given ? g.key or v_given ? 'group_by',
           'It has a meaning with group_by only: add "group_by": "document".'
    from (values ('group_size'), ('group_score')) g (key)
  ) w
  where w.is_valid is not true
  order by w.key
  limit 1;
  if found then
    raise exception 'option % is %', left(v_wrong.key, 100), left(v_wrong.value::text, 100)
      using errcode = '22023', hint = v_wrong.hint;
  end if;

  group_by := case when v_given ->> 'group_by' in ('external_id', 'document_id') then 'document' else v_given ->> 'group_by' end;
  group_size := coalesce((v_given ->> 'group_size')::float8::int, 1);
  group_score := coalesce(v_given ->> 'group_score', 'max');
  collapse := coalesce(v_given -> 'collapse' <> 'false', false);
  collapse_similarity := case when jsonb_typeof(v_given -> 'collapse') = 'object'
                              then coalesce((v_given #>> '{collapse,similarity}')::float8, 0.97) end;
  diversify := coalesce(v_given -> 'diversify' <> 'false', false);
  diversify_lambda := coalesce((v_given #>> '{diversify,lambda}')::float8, 0.5);
  context := v_given ?| '{context_before,context_after}';
  context_before := coalesce((v_given ->> 'context_before')::float8::int, 0);
  context_after := coalesce((v_given ->> 'context_after')::float8::int, 0);
  cursor := v_given ->> 'cursor';
  is_asked := group_by is not null or collapse or diversify or context or cursor is not null;
  if cursor is not null and diversify then
    raise exception 'options cursor and diversify are given together'
      using errcode = '22023',
            hint = 'What is diverse depends on all that came before, so it has no pages: ask for more rows at once.';
  end if;
end
$$;

comment on function braid_store.arrangement_options(jsonb) is
  'What of a search''s options is about the arrangement of its rows. Raises 22023 for values that cannot be used.';
