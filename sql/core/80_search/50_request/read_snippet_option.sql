create or replace function braid_store.read_snippet_option(
  snippet jsonb,
  inout options braid_store.search_options
)
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  c_defaults constant jsonb :=
    '{"start_tag": "<mark>", "stop_tag": "</mark>", "fragment_count": 2, "fragment_words": 30,
      "fragment_separator": " … "}';
  v_given jsonb := case when jsonb_typeof(snippet) = 'object' then snippet else '{}' end;
  v_wrong record;
begin
  options.snippet := coalesce(snippet <> 'false', false);
  if not options.snippet then
    return;
  end if;
  select g.key, g.value, c_defaults ? g.key as is_known into v_wrong
  from jsonb_each(v_given) g
  where not c_defaults ? g.key
     or g.value <> 'null' and (jsonb_typeof(g.value) <> jsonb_typeof(c_defaults -> g.key)
                               or jsonb_typeof(g.value) = 'number' and not pg_input_is_valid(g.value::text, 'int'))
  limit 1;
  if found and not v_wrong.is_known then
    raise exception 'option snippet has an unknown key "%"', left(v_wrong.key, 100)
      using errcode = '22023',
            hint = 'The keys are: start_tag, stop_tag, fragment_count, fragment_words, fragment_separator.';
  elsif found then
    raise exception 'option snippet: % is %', v_wrong.key, left(v_wrong.value::text, 100)
      using errcode = '22023',
            hint = case jsonb_typeof(c_defaults -> v_wrong.key) when 'number' then 'Give a whole number.'
                                                                else 'Give a string.' end;
  end if;

  select s.start_tag, s.stop_tag, s.fragment_count, s.fragment_words, s.fragment_separator
  into options.start_tag, options.stop_tag, options.fragment_count, options.fragment_words, options.fragment_separator
  from jsonb_to_record(c_defaults || v_given)
         s (start_tag text, stop_tag text, fragment_count int, fragment_words int, fragment_separator text);
  perform braid_store.check_snippet_arguments(options.start_tag, options.stop_tag, options.fragment_count,
                                              options.fragment_words, options.fragment_separator);
end
$$;

comment on function braid_store.read_snippet_option(jsonb, braid_store.search_options) is
  'Returns options with the arguments of snippets filled in. snippet: the JSON value of the option, which is true, '
  'false or an object of braid.highlight''s arguments; those left out have the same defaults as there. Raises 22023 '
  'for values that cannot be used.';
