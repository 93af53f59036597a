-- role: service
create or replace function braid_store.transcript_fields(value text, is_json boolean)
returns jsonb
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  c_clock constant text := '((?:[0-9]{1,3}:)?[0-9]{1,2}:[0-9]{2})(?:[.,][0-9]{1,3})?';
  -- A name has four words at most. Classes such as \w depend on the locale.
  c_name constant text := E'([^ \\t0-9:\\[\\](){}<>"'',;.!?*#=/-][^ \\t0-9:\\[\\](){}<>",;!?=]*(?: [^ '
    '\\t0-9:\\[\\](){}<>",;!?=]+){0,3})';
  c_forms constant text[] := array[
    -- The groups are time, name, time and text.
    E'^[ \\t]*(?:[\\[(]?' || c_clock || E'[\\])]?[ \\t]*-?[ \\t]*)?' || c_name || E'(?:[ \\t]*[\\[(]' || c_clock
      || E'[\\])])?[ \\t]*:[ \\t]+([^ \\t].*)$',
    -- A name with a time stands on its own line above the text: Ana 0:12
    E'^[ \\t]*()' || c_name || E'[ \\t]+[\\[(]?' || c_clock || E'[\\])]?[ \\t]*:?[ \\t]*()$'];
  v_value jsonb;
  v_line text;
  v_found text[];
  v_clock int[];
  v_speakers text[] := '{}';
  v_starts int[] := '{}';
  -- These arrays hold each line and its turn. To append lines to one text would take quadratic time.
  v_lines text[] := '{}';
  v_turns int[] := '{}';
  v_line_count int := 0;
  v_latest int := 0;
  v_count int := 0;
begin
  if value is null then
    return '{}';
  elsif is_json then
    v_value := value::jsonb;
    -- Speech recognition calls turns segments, and gives more fields than are kept.
    if jsonb_typeof(v_value) = 'object' and v_value ?| '{turns,segments}' then
      v_value := coalesce(v_value -> 'turns', v_value -> 'segments');
    end if;
    return jsonb_build_object('turns', case jsonb_typeof(v_value) when 'array' then coalesce((
      select jsonb_agg(
               case jsonb_typeof(s.value)
                 when 'object' then (
                   select coalesce(jsonb_object_agg(f.key, f.value), '{}')
                   from jsonb_each(s.value) f where f.key in ('text', 'speaker', 'start', 'end'))
                 else s.value end order by s.ordinality)
      from jsonb_array_elements(v_value) with ordinality s), '[]') else v_value end);
  end if;

  foreach v_line in array string_to_array(replace(value, E'\r', ''), E'\n') loop
    v_found := coalesce(regexp_match(v_line collate "C", c_forms[1]), regexp_match(v_line collate "C", c_forms[2]));
    if v_found is not null then
      v_count := v_count + 1;
      v_clock := string_to_array(coalesce(v_found[1], v_found[3]), ':')::int[];
      v_speakers[v_count] := btrim(v_found[2]);
      v_line := v_found[4];
      -- Drop a time before an earlier turn's time: it does not count from the start of the recording.
      v_starts[v_count] := case cardinality(v_clock) when 2 then v_clock[1] * 60 + v_clock[2]
                                                     when 3 then v_clock[1] * 3600 + v_clock[2] * 60 + v_clock[3] end;
      if v_starts[v_count] < v_latest then
        v_starts[v_count] := null;
      end if;
      v_latest := greatest(v_latest, v_starts[v_count]);
    elsif v_count = 0 and v_line ~ E'[^ \\t]' then
      -- Text before the first turn has no speaker.
      v_count := 1;
      v_speakers := array[null];
      v_starts := array[null];
    end if;
    if v_count > 0 then
      v_line_count := v_line_count + 1;
      v_lines[v_line_count] := v_line;
      v_turns[v_line_count] := v_count;
    end if;
  end loop;
  if array_remove(v_speakers, null) = '{}' then
    return jsonb_build_object('content', value);
  end if;
  return jsonb_build_object('turns', (
    select jsonb_agg(jsonb_strip_nulls(jsonb_build_object('text', btrim(t.content, E' \t\n'), 'speaker', t.speaker,
      'start', t.start))
                     order by t.ordinality)
    from (
      select string_agg(l.line, E'\n' order by l.ordinality) as content, v_speakers[l.turn] as speaker,
        v_starts[l.turn] as start,
             l.turn as ordinality
      from unnest(v_lines, v_turns) with ordinality l (line, turn)
      group by l.turn
    ) t));
end
$$;

comment on function braid_store.transcript_fields(text, boolean) is
  E'Return the fields of a document that a transcript gives: turns, or content if text names no speaker.\n'
  'JSON is an array of turns, or an object that has the array. Text has turns such as "Ana: Hello.", "[00:01:02] '
  'Ana: Hello.", or "Ana 0:12" above what she says.';
