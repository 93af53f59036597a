create or replace function braid_store.match_excerpts(
  content text,
  pattern text,
  flags text,
  is_plain boolean,
  excerpt_length int
)
returns text[]
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  c_max_excerpts constant int := 3;
  v_content_length int := length(content);
  v_from int := 1; -- where the search for the next match begins
  v_start int;
  v_end int; -- the position after the match
  v_first int;
  v_last int;
  v_excerpts text[] := '{}';
begin
  if pattern = '' then
    return array[left(content, excerpt_length) || case when v_content_length > excerpt_length then '…' else '' end];
  end if;
  while cardinality(v_excerpts) < c_max_excerpts and v_from <= v_content_length + 1 loop
    if is_plain then
      v_start := strpos(substr(content, v_from), pattern);
      v_start := case when v_start > 0 then v_start + v_from - 1 else 0 end;
      v_end := v_start + length(pattern);
    else
      v_start := regexp_instr(content, pattern, v_from, 1, 0, flags);
      v_end := case when v_start > 0 then greatest(regexp_instr(content, pattern, v_from, 1, 1, flags), v_start) end;
    end if;
    exit when v_start = 0;
    -- The excerpt is the line of the match. A longer line is cut to a window around the match.
    v_first := v_start - strpos(reverse(substr(content, 1, v_start - 1)), E'\n') + 1;
    if v_first > v_start then
      v_first := 1;
    end if;
    v_last := strpos(substr(content, v_end), E'\n');
    v_last := case when v_last > 0 then v_end + v_last - 2 else v_content_length end;
    if v_last - v_first + 1 > excerpt_length then
      v_first := greatest(v_first, v_start - greatest((excerpt_length - (v_end - v_start)) / 2, 0));
      v_last := least(v_last, v_first + excerpt_length - 1);
    end if;
    v_excerpts := v_excerpts || (
      case when v_first > 1 and substr(content, v_first - 1, 1) <> E'\n' then '…' else '' end
      || substr(content, v_first, v_last - v_first + 1)
      || case when v_last < v_content_length and substr(content, v_last + 1, 1) <> E'\n' then '…' else '' end);
    v_from := greatest(v_last, v_end, v_start) + 1;
  end loop;
  return v_excerpts;
end
$$;

comment on function braid_store.match_excerpts(text, text, text, boolean, int) is
  'Return the lines of the first matches of a pattern in a text, at most three, each once. A line is cut to '
  'excerpt_length characters around the match, and … stands for what is cut. Without a pattern, return the beginning '
  'of the text. is_plain: the pattern is a text and no regular expression.';
