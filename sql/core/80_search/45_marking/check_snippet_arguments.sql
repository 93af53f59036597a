create or replace function braid_store.check_snippet_arguments(
  start_tag text,
  stop_tag text,
  fragment_count int,
  fragment_words int,
  fragment_separator text
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
  select * into v_wrong
  from (values
    ('start_tag', left(start_tag, 255), length(start_tag) <= 255, 'Use at most 255 characters, such as <mark>.'),
    ('stop_tag', left(stop_tag, 255), length(stop_tag) <= 255, 'Use at most 255 characters, such as </mark>.'),
    ('fragment_count', fragment_count::text, fragment_count is null or fragment_count between 1 and 20,
     'Use 1 to 20, or null for the whole text.'),
    ('fragment_words', fragment_words::text, fragment_words between 1 and 1000, 'Use 1 to 1000.'),
    ('fragment_separator', left(fragment_separator, 255), length(fragment_separator) <= 255,
     'Use at most 255 characters.')
  ) argument (name, value, is_valid, hint)
  where argument.is_valid is not true;
  if found then
    raise exception '% is %', v_wrong.name, coalesce('''' || v_wrong.value || '''', 'null')
      using errcode = '22023', hint = v_wrong.hint;
  end if;
end
$$;

comment on function braid_store.check_snippet_arguments(text, text, int, int, text) is
  'Raise 22023, with the argument''s name, for a value that cannot be used for a snippet.';
