create or replace function braid_store.check_turns(documents jsonb)
returns void
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  c_fields constant jsonb := '{
    "speaker": ["string", "number", "null"], "start": ["number", "null"], "end": ["number", "null"],
    "text": ["string"]}';
  c_max_speaker constant int := 1024;
  -- About 30 years: a greater number is a timestamp, not an offset.
  c_max_seconds constant numeric := 1e9;
  -- double precision has no more decimals. jsonb keeps more, and prints them all.
  c_max_decimals constant int := 400;
  v_lists jsonb[];
  v_names text[];
  v_wrong record;
begin
  select array_agg(d.value -> 'turns'), array_agg(format('document "%s" turn', left(d.value ->> 'external_id', 100)))
  into v_lists, v_names
  from jsonb_array_elements(check_turns.documents) d
  where jsonb_typeof(d.value -> 'turns') = 'array';
  if v_lists is null then
    return;
  end if;
  perform braid_store.check_fields(v_lists, v_names, c_fields);

  select * into v_wrong
  from (
    select l.item_name, s.ordinality, s.value ? 'text' as has_text, octet_length(s.value ->> 'speaker') as speaker_size,
           t.start, t."end",
           max(t.start) over (
             partition by l.number order by s.ordinality rows between unbounded preceding
               and 1 preceding) as earlier_start
    from unnest(v_lists, v_names) with ordinality l (items, item_name, number),
         jsonb_array_elements(l.items) with ordinality s,
         -- Cast the JSON numbers directly, because their text may have 100,000 digits.
         lateral (
           select nullif(s.value -> 'start', 'null')::numeric as start, nullif(s.value -> 'end',
             'null')::numeric as "end"
         ) t
  ) s
  where not s.has_text or s.speaker_size > c_max_speaker
     or s.start not between 0 and c_max_seconds or s."end" not between 0 and c_max_seconds
     or s."end" < s.start or s.start < s.earlier_start
     or scale(s.start) > c_max_decimals or scale(s."end") > c_max_decimals
  order by s.item_name, s.ordinality
  limit 1;
  if not found then
    return;
  elsif not v_wrong.has_text then
    raise exception '% % has no text', v_wrong.item_name, v_wrong.ordinality
      using errcode = '22023', hint = 'Give each turn the key text with the words spoken.';
  elsif v_wrong.speaker_size > c_max_speaker then
    raise exception 'speaker of % % has % bytes, more than %', v_wrong.item_name, v_wrong.ordinality,
      v_wrong.speaker_size,
                    c_max_speaker
      using errcode = '54000', hint = 'Shorten it, or put it into the text.';
  elsif v_wrong.start not between 0 and c_max_seconds or v_wrong."end" not between 0 and c_max_seconds then
    raise exception '% of % % is %', case when v_wrong.start not between 0 and c_max_seconds then 'start'
      else 'end' end,
                    v_wrong.item_name, v_wrong.ordinality,
                    left(case when v_wrong.start not between 0 and c_max_seconds then v_wrong.start
                              else v_wrong."end" end::text, 100)
      using errcode = '22023', hint = 'Give seconds from the beginning, 0 to 1e9. Give the time of the beginning as '
                                      'occurred_at.';
  elsif scale(v_wrong.start) > c_max_decimals or scale(v_wrong."end") > c_max_decimals then
    raise exception '% of % % has % decimals, more than %',
                    case when scale(v_wrong.start) > c_max_decimals then 'start' else 'end' end,
                    v_wrong.item_name, v_wrong.ordinality,
                    case when scale(v_wrong.start) > c_max_decimals then scale(v_wrong.start)
                      else scale(v_wrong."end") end,
                    c_max_decimals
      using errcode = '22023', hint = 'Round the value: seconds are stored to the microsecond.';
  elsif v_wrong."end" < v_wrong.start then
    raise exception 'end of % % is %, before its start, %', v_wrong.item_name, v_wrong.ordinality, v_wrong."end",
      v_wrong.start
      using errcode = '22023', hint = 'Give both in seconds from the beginning, or leave out end.';
  else
    raise exception 'start of % % is %, before the start of an earlier turn, %', v_wrong.item_name, v_wrong.ordinality,
                    v_wrong.start, v_wrong.earlier_start
      using errcode = '22023', hint = 'Send turns in the order in which they begin.';
  end if;
end
$$;

comment on function braid_store.check_turns(jsonb) is
  'Raise 22023 or 54000 for a turn of a document that has no text or an impossible time, or begins before an earlier '
  'one.';
