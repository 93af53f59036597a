create or replace function braid_store.zone_name(time_zone text)
returns text
language plpgsql
stable
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  v_offset text[];
  v_name text := btrim(zone_name.time_zone);
begin
  if v_name is null then
    return current_setting('TimeZone');
  end if;
  -- PostgreSQL reads offsets as POSIX zones, which count westwards, so the sign changes.
  v_offset := regexp_match(v_name, E'^(?:UTC|GMT)?([+-])(\\d\\d?)(?::?([0-5]\\d))?$', 'i');
  if v_offset is not null and v_offset[2]::int <= 15 then
    return format('<%s%s>%s%s:%s', v_offset[1], lpad(v_offset[2], 2, '0') || coalesce(v_offset[3], ''),
                  case v_offset[1] when '+' then '-' else '+' end, v_offset[2], coalesce(v_offset[3], '00'));
  end if;
  if v_name ~ '^[A-Za-z_/+-]+$' or v_name ~ E'^([Ee][Tt][Cc]/)?[Gg][Mm][Tt][+-]?\\d\\d?$'
    or v_name ~ '^[ECMPecmp][Ss][Tt][5-8][ECMPecmp][Dd][Tt]$' then
    begin
      perform '2000-01-01'::timestamp at time zone v_name;
      return v_name;
    exception when invalid_parameter_value then
      null; -- raised below
    end;
  end if;
  raise exception 'time_zone is ''%''', left(zone_name.time_zone, 100)
    using errcode = '22023',
          hint = 'Give a name of the time zone database, such as Europe/Berlin, or an offset such as +02:00; '
                 'null is the session''s setting timezone.';
end
$$;

comment on function braid_store.zone_name(text) is
  'Return a time zone in the form that PostgreSQL takes; for null, the session''s time zone. Offsets count '
  'eastwards, as in ISO 8601. Raise 22023 for a value that is no time zone.';
