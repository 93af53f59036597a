create or replace function braid_store.read_arrangement_options(
  given jsonb,
  inout options braid_store.search_options
)
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  -- Columns of the results that rows cannot be grouped by; they are not taken for metadata keys either.
  c_not_grouped constant text[] := array['', 'chunk_id', 'chunk_index', 'content', 'created_at', 'occurred_at', 'score', 'title',
                                         'token_count'];
  v_wrong record;
begin
  select w.* into v_wrong
  from (
    select o.key, o.value,
           case
             when o.key = 'group_by' then o.value #>> '{}' <> all (c_not_grouped) and not o.value #>> '{}' ^@ '$'
             when o.key = 'group_size' then braid_store.is_whole_number(o.value, 1, 100)
             when o.key = 'group_score' then o.value in ('"max"', '"sum"', '"mean"', '"mixture"')
             when o.key in ('context_before', 'context_after') then braid_store.is_whole_number(o.value, 0, 100)
             else true
           end as is_valid,
           k.hint
    from jsonb_each(given) o
    join braid_store.known_search_options() k on k.name = o.key
    union all
    select 'collapse: ' || o.key, o.value,
           o.key = 'similarity' and (o.value = 'null' or braid_store.is_number(o.value, 0, 1)),
           'Its only key is similarity, a cosine from 0 to 1.'
    from jsonb_each(case jsonb_typeof(given -> 'collapse') when 'object' then given -> 'collapse' else '{}' end) o
    union all
    select 'diversify: ' || o.key, o.value,
           o.key = 'lambda' and (o.value = 'null' or braid_store.is_number(o.value, 0, 1)),
           'Its only key is lambda, from 0, only variety, to 1, only the score.'
    from jsonb_each(case jsonb_typeof(given -> 'diversify') when 'object' then given -> 'diversify' else '{}' end) o
    union all
    select g.key, given -> g.key, not given ? g.key or given ? 'group_by',
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

  options.collapse := coalesce(given -> 'collapse' <> 'false', false);
  options.collapse_similarity := case when jsonb_typeof(given -> 'collapse') = 'object'
                                      then coalesce((given #>> '{collapse,similarity}')::float8, 0.97) end;
  options.group_by := case when given ->> 'group_by' in ('external_id', 'document_id') then 'document'
                           else given ->> 'group_by' end;
  options.group_size := coalesce((given ->> 'group_size')::float8::int, options.group_size);
  options.group_score := coalesce(given ->> 'group_score', options.group_score);
  options.diversify := coalesce(given -> 'diversify' <> 'false', false);
  options.diversify_lambda := coalesce((given #>> '{diversify,lambda}')::float8, options.diversify_lambda);
  options.context := given ?| '{context_before,context_after}';
  options.context_before := coalesce((given ->> 'context_before')::float8::int, options.context_before);
  options.context_after := coalesce((given ->> 'context_after')::float8::int, options.context_after);
  options.cursor := given ->> 'cursor';
  options.is_arranged := options.group_by is not null or options.collapse or options.diversify or options.context
                         or options.cursor is not null;
  if options.cursor is not null and options.diversify then
    raise exception 'options cursor and diversify are given together'
      using errcode = '22023',
            hint = 'What is diverse depends on all that came before, so it has no pages: ask for more rows at once.';
  end if;
end
$$;

comment on function braid_store.read_arrangement_options(jsonb, braid_store.search_options) is
  'Returns options with those filled in that group, merge and page rows. given: these options as JSON, without nulls. '
  'Raises 22023 for values that cannot be used.';
