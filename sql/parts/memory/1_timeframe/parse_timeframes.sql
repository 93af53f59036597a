create or replace function braid_store.parse_timeframes(timeframe text, time_zone text, reference_time timestamptz)
returns tstzmultirange
language plpgsql
stable
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  v_text text := btrim(timeframe, E' \n\r\t');
  v_parts text[] := array[v_text];
  v_ranges tstzmultirange;
begin
  if length(v_text) > 10000 then
    raise exception 'timeframe is % characters long', length(v_text)
      using errcode = '22023', hint = 'Use at most 10000.';
  elsif v_text ~ E'^\\{\\s*[[(]' then
    v_parts := array(select m[1] from regexp_matches(v_text, '([[(][^[(]*?[])])', 'g') m);
    if v_text !~ E'^\\{\\s*[[(][^[(]*[])](\\s*,\\s*[[(][^[(]*[])])*\\s*\\}$' then
      v_parts := array[v_text];
    end if;
  elsif v_text ~ E'^\\{' and pg_input_is_valid(v_text, 'text[]') then
    v_parts := v_text::text[];
  -- Text with times of day may be a range in PostgreSQL's notation with both bounds included, rather than a JSON array.
  elsif v_text ~ E'^\\[' and pg_input_is_valid(v_text, 'jsonb')
        and not (v_text ~ E'\\d[ T]\\d\\d' and (braid_store.range_literal(v_text, time_zone)).is_understood) then
    v_parts := array(select jsonb_array_elements_text(v_text::jsonb));
  end if;
  begin
    v_ranges := (
      select range_agg(braid_store.parse_timeframe_text(coalesce(p.part, ''), time_zone, reference_time))
      from unnest(v_parts) p (part));
  exception when datetime_field_overflow or interval_field_overflow or invalid_datetime_format then
    raise exception 'timeframe ''%'' reaches beyond the years 1 to 9999', left(timeframe, 100)
      using errcode = '22023', hint = 'Use the years 1 to 9999.';
  end;
  if v_ranges is null then
    raise exception 'timeframe is empty' using errcode = '22023', hint = 'Leave out timeframe to search all time.';
  end if;
  return v_ranges;
end
$$;

comment on function braid_store.parse_timeframes(text, text, timestamptz) is
  'Return the ranges that a timeframe stands for. timeframe is one text, or several texts as a multirange, a JSON '
  'array or a PostgreSQL array. Raise 22023 if it is not understood.';
