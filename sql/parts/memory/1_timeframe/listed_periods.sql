create or replace function braid_store.listed_periods(phrase text, time_zone text, reference_time timestamptz)
returns tstzmultirange
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  v_parts text[] := regexp_split_to_array(substr(phrase, length(split_part(phrase, ' ', 1)) + 2), ' (?:and|or) ');
  v_last record := braid_store.named_period(v_parts[cardinality(v_parts)], time_zone, reference_time);
  v_period record;
  v_ranges tstzmultirange := '{}';
begin
  for v_place in 1..cardinality(v_parts) loop
    v_period := braid_store.named_period(v_parts[v_place], time_zone, reference_time);
    -- In "in March or May 2024" the year belongs to both months.
    if v_period.recurs = interval '1 year' and v_last.recurs is null and not v_last.is_relative then
      v_period := braid_store.named_period(v_parts[v_place], time_zone, v_last.starts_at);
    end if;
    if v_period.starts_at is null then
      return null;
    end if;
    v_ranges := v_ranges + tstzmultirange(tstzrange(v_period.starts_at, v_period.ends_at));
  end loop;
  return v_ranges;
end
$$;

comment on function braid_store.listed_periods(text, text, timestamptz) is
  'Return the periods of a phrase such as "in june and july": a preposition, then names with "and" or "or" between '
  'them. Return null if one of the names is no period. phrase is in lower case.';
