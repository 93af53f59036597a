create or replace function braid_store.markdown_blocks(content text)
returns table (number int, is_heading boolean, block text)
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  v_line text;
  v_mark text;
  v_fence text;
  v_kind text := '';
  v_new text;
  v_line_count int := 0;
  v_is_after_blank boolean := false;
  v_number int := 1;
  -- v_numbers has each line's block, and v_headings the blocks that are headings.
  v_numbers int[] := '{}';
  v_headings int[] := '{}';
begin
  foreach v_line in array string_to_array(markdown_blocks.content, E'\n') loop
    v_mark := substring(v_line from '^ {0,3}(`{3,}|~{3,})');
    if v_fence is not null then
      if v_line ~ E'^\\s*(`+|~+)\\s*$' and starts_with(btrim(v_line, E' \t\r'), v_fence) then
        v_fence := null;
        v_kind := 'closed';
      end if;
    elsif v_mark is not null then
      v_number := v_number + (v_line_count > 0)::int;
      v_line_count := 0;
      v_fence := v_mark;
      v_kind := 'fence';
    elsif v_line ~ E'^ {0,3}#{1,6}([ \t].*)?\r?$' then
      v_number := v_number + (v_line_count > 0)::int;
      v_line_count := 0;
      v_headings := v_headings || v_number;
      v_kind := 'closed';
    elsif v_kind = 'paragraph' and v_line_count = 1 and not v_is_after_blank and v_line ~ E'^ {0,3}(=+|-+)[ \t\r]*$'
      then
      v_headings := v_headings || v_number;
      v_kind := 'closed';
    elsif v_line ~ E'\\S' then
      v_new := case when v_line ~ '^ {0,3}[|]' then 'table'
                    when v_line ~ E'^[ \t]*([-*+]|[0-9]{1,9}[.)])[ \t]+\\S' then 'list' else 'paragraph' end;
      -- A list goes on after blank lines with its next item or an indented line; other blocks end there.
      if v_kind <> '' and not (
           v_kind = 'list' and (v_new = 'list' or v_line ~ E'^[ \t]{2}' or not v_is_after_blank)
           or v_kind = v_new and not v_is_after_blank
           or v_kind = 'paragraph' and v_new = 'list' and not v_is_after_blank) then
        v_number := v_number + 1;
        v_line_count := 0;
        v_kind := '';
      end if;
      v_kind := case v_kind when '' then v_new else v_kind end;
    end if;
    v_is_after_blank := v_line !~ E'\\S';
    v_line_count := v_line_count + 1;
    v_numbers := v_numbers || v_number;
  end loop;

  return query
  select l.number, l.number in (select unnest(v_headings)), string_agg(l.line, E'\n' order by l.place)
    || case when max(l.place) < cardinality(v_numbers) then E'\n' else '' end
  from unnest(string_to_array(markdown_blocks.content, E'\n'), v_numbers) with ordinality l (line, number, place)
  group by l.number
  order by l.number;
end
$$;

comment on function braid_store.markdown_blocks(text) is
  'Return the blocks of a Markdown text: headings, fenced code, tables, lists and paragraphs, each with the blank '
  'lines after it. Joined, the blocks are the text.';
