create or replace function braid_store.typed_value(field text, type text, time_zone text)
returns text
language sql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  select case typed_value.type
    when 'number' then
      -- Sums stay in the range of numeric, and results in the range of float8.
      format('case jsonb_typeof(%1$s) when ''number'' then least(greatest((%1$s)::numeric, -1e308), 1e308) end',
             typed_value.field)
    when 'time' then
      -- The ISO form alone is a time: other forms are read by the session's DateStyle, and a week before Christ could
      -- begin before the calendar does. A letter other than T, or a sign, is a zone.
      format($sql$case when %1$s like '____-__-__%%'
                              and (strpos(%1$s, 'B') + strpos(%1$s, 'b') = 0 or %1$s !~ '[Bb][Cc]')
                              and pg_input_is_valid(%1$s, 'timestamptz')
        then case when %1$s like '%%Z' or substr(%1$s, 11) ~ '[A-SU-Za-su-z+-]' then %1$s::timestamptz
                  else %1$s::timestamp at time zone %2$L end end$sql$,
             typed_value.field, typed_value.time_zone)
    else typed_value.field end;
$$;

comment on function braid_store.typed_value(text, text, text) is
  'Return the SQL expression that reads a field as a number (numeric) or a time (timestamptz); null if it is none. '
  'The field is JSON, and for times the text of JSON. Greater numbers than 1e308 become 1e308. Times without a zone '
  'are in time_zone. For any other type, return the field itself.';
