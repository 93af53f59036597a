create or replace function braid_store.range_literal(
  literal text,
  time_zone text,
  out starts_at timestamptz,
  out ends_at timestamptz,
  out is_understood boolean
)
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  c_bound constant text := E'"?(\\d{4}-\\d\\d-\\d\\d(?:[t '
    ']\\d\\d(?::\\d\\d(?::\\d\\d(?:\\.\\d{1,6})?)?)?(?:z|[+-]\\d\\d(?::?\\d\\d(?::\\d\\d)?)?)?)?|-?infinity|)"?';
  c_max_length constant int := 200; -- the pattern tries every space as the end of a bound
  v_parts text[] := regexp_match(case when length(literal) <= c_max_length then lower(literal collate "C") end,
    E'^([[(])\\s*' || c_bound || E'\\s*,\\s*' || c_bound || E'\\s*([])])$');
  v_from record;
  v_to record;
begin
  is_understood := false;
  if v_parts is null then
    return;
  end if;
  v_from := braid_store.iso_period(v_parts[2], time_zone);
  v_to := braid_store.iso_period(v_parts[3], time_zone);
  if v_from.starts_at is null and v_parts[2] not in ('', '-infinity')
     or v_to.starts_at is null and v_parts[3] not in ('', 'infinity') then
    return;
  end if;
  -- A date is a whole day, as in a daterange. Timestamps are whole microseconds, so an excluded start and an included
  -- end move by one.
  starts_at := case when v_parts[1] = '[' then v_from.starts_at
                    when v_from.is_instant then v_from.starts_at + interval '1 microsecond' else v_from.ends_at end;
  ends_at := case when v_parts[4] = ')' then v_to.starts_at
                  when v_to.is_instant then v_to.starts_at + interval '1 microsecond' else v_to.ends_at end;
  is_understood := true;
end
$$;

comment on function braid_store.range_literal(text, text) is
  'Read a tstzrange in PostgreSQL''s notation, with bounds in ISO 8601. A bound without an offset is in the given '
  'time zone. A date as a bound means the whole day.';
