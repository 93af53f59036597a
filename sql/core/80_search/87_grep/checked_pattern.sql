create or replace function braid_store.checked_pattern(pattern text, is_regex boolean, ignore_case boolean)
returns text
language plpgsql
stable
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  c_max_length constant int := 500;
  v_pattern text;
  v_bare text; -- the pattern with "\" in place of each escape
  v_has_backreference boolean;
begin
  if length(checked_pattern.pattern) > c_max_length then
    raise exception 'pattern has % characters, more than %', length(checked_pattern.pattern), c_max_length
      using errcode = '54000', hint = 'Look for a shorter part of the text.';
  elsif not checked_pattern.is_regex then
    -- ***= tells PostgreSQL that the rest of the regular expression is literal.
    return case when checked_pattern.ignore_case then '***=' else '' end || checked_pattern.pattern;
  end if;
  -- Each element is one character, with a backslash in front of it if it is escaped.
  select string_agg(case e.element[1] when E'\\b' then E'\\y' when E'\\B' then E'\\Y' else e.element[1] end, ''
                    order by e.ordinality),
         string_agg(left(e.element[1], 1), '' order by e.ordinality),
         bool_or(e.element[1] ~ E'^\\\\[1-9]')
  into v_pattern, v_bare, v_has_backreference
  from regexp_matches(checked_pattern.pattern, E'\\\\?.', 'g') with ordinality e (element, ordinality);
  if v_has_backreference or v_bare ~ E'\\(\\?<?[=!]' then
    raise exception 'pattern has a backreference or a lookaround: %', to_json(checked_pattern.pattern)
      using errcode = '22023',
            hint = 'Their time has no bound in the length of the text. Leave them out, and narrow by filters.';
  elsif starts_with(checked_pattern.pattern, '***') then
    raise exception 'pattern begins with ***' using errcode = '22023', hint = E'Escape the asterisks: \\*\\*\\*.';
  end if;
  v_pattern := coalesce(v_pattern, '');
  begin
    -- These are the flags of find_matches; other flags may need more states than PostgreSQL allows.
    perform regexp_like('', v_pattern, case when checked_pattern.ignore_case then 'ni' else 'nc' end);
  exception
    -- A pattern that needs too much memory raises an internal error.
    when invalid_regular_expression or internal_error then
      raise exception 'pattern is no regular expression: %', sqlerrm
        using errcode = '2201B',
              hint = 'Write it as for the operator ~, or leave out regex to find the pattern as it is written.';
  end;
  return v_pattern;
end
$$;

comment on function braid_store.checked_pattern(text, boolean, boolean) is
  'Return the pattern in the form in which the text is compared with it: a regular expression, or with neither '
  'is_regex nor ignore_case the text itself. Raise 22023, 54000 or 2201B for a pattern that is too long or invalid, or '
  'whose time has no bound.';
