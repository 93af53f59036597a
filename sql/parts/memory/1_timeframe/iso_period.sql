create or replace function braid_store.iso_period(
  phrase text,
  time_zone text,
  out starts_at timestamptz,
  out ends_at timestamptz,
  out is_instant boolean
)
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  v_parts text[];
  v_start timestamp;
  v_length interval;
begin
  is_instant := false;
  if phrase !~ E'^\\d{4}' or phrase ~ '^0000' then
    return;
  end if;

  v_parts := regexp_match(phrase,
    E'^(\\d{4}-\\d\\d-\\d\\d)[t ](\\d\\d)(:\\d\\d)?(:\\d\\d)?([.,]\\d{1,6})?(z|[+-]\\d\\d(?::?\\d\\d(?::\\d\\d)?)?)?$');
  if v_parts is not null then
    declare
      v_text text := format('%s %s%s%s%s', v_parts[1], v_parts[2], coalesce(v_parts[3], ':00'), coalesce(v_parts[4],
        ':00'),
                            replace(coalesce(v_parts[5], ''), ',', '.'));
    begin
      if v_parts[5] is not null and v_parts[4] is null or not pg_input_is_valid(v_text || coalesce(v_parts[6], ''),
        'timestamptz') then
        return;
      end if;
      starts_at := case when v_parts[6] is null then braid_store.local_instant(v_text::timestamp, time_zone)
                        else (v_text || v_parts[6])::timestamptz end;
      ends_at := starts_at + case when v_parts[5] is not null then interval '1 microsecond'
                                  when v_parts[4] is not null then interval '1 second'
                                  when v_parts[3] is not null then interval '1 minute' else interval '1 hour' end;
      is_instant := true;
      return;
    end;
  end if;

  case
    when phrase ~ E'^\\d{4}-\\d\\d-\\d\\d$' and pg_input_is_valid(phrase, 'date') then
      v_start := phrase::timestamp;
      v_length := '1 day';
    when phrase ~ '^[0-9]{8}$' and pg_input_is_valid(phrase, 'date') then
      v_start := phrase::timestamp;
      v_length := '1 day';
    when phrase ~ E'^\\d{4}-(0[1-9]|1[0-2])$' then
      v_start := (phrase || '-01')::timestamp;
      v_length := '1 month';
    when phrase ~ E'^\\d{4}$' then
      v_start := (phrase || '-01-01')::timestamp;
      v_length := '1 year';
    when phrase ~ E'^\\d{4}-?q[1-4]$' then
      v_start := make_date(left(phrase, 4)::int, right(phrase, 1)::int * 3 - 2, 1);
      v_length := '3 months';
    when phrase ~ E'^\\d{4}-?w\\d\\d(-[1-7])?$' then
      v_parts := regexp_match(phrase, E'^(\\d{4})-?w(\\d\\d)(?:-(\\d))?$');
      -- By ISO 8601, week 1 contains the 4th of January.
      v_start := date_trunc('week', make_date(v_parts[1]::int, 1, 4)::timestamp) + (v_parts[2]::int - 1)
        * interval '7 days';
      if extract(isoyear from v_start) <> v_parts[1]::int then
        return;
      end if;
      v_length := case when v_parts[3] is null then '7 days' else '1 day' end;
      v_start := v_start + (coalesce(v_parts[3], '1')::int - 1) * interval '1 day';
    else
      return;
  end case;
  starts_at := braid_store.local_instant(v_start, time_zone);
  ends_at := braid_store.local_instant(v_start + v_length, time_zone);
end
$$;

comment on function braid_store.iso_period(text, text) is
  'Return the period of an ISO 8601 date, month, week, year or time. Its length is the precision of the phrase: '
  '2025-03 is a month. Read quarters (2025-Q1) as well. Return nulls if the phrase, in lower case, is none of these.';
