create or replace function braid_store.timeframe_phrase(
  phrase text,
  time_zone text,
  reference_time timestamptz,
  out starts_at timestamptz,
  out ends_at timestamptz,
  out is_understood boolean,
  out is_explicit boolean
)
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  v_first text := split_part(phrase, ' ', 1);
  v_rest text := substr(phrase, length(split_part(phrase, ' ', 1)) + 2);
  v_parts text[];
  v_period record;
begin
  is_understood := false;
  is_explicit := true;

  if v_first = 'between' then
    v_parts := regexp_match(v_rest, '^(.+) and (.+)$');
  elsif phrase like any ('{% to %,% until %,% till %,% through %,% - %,% – %}') then
    v_parts := regexp_match(case when v_first in ('from', 'in', 'on', 'during', 'throughout', 'within', 'over', 'for')
      then v_rest else phrase end,
                            '^(.+) (?:to|until|till|through|-|–) (.+)$');
  end if;
  if v_parts is not null then
    select p.starts_at, p.ends_at, p.starts_at is not null into starts_at, ends_at, is_understood
    from braid_store.period_between(v_parts[1], v_parts[2], time_zone, reference_time) p;
    is_explicit := v_first in ('between', 'from', 'in', 'on', 'during', 'throughout');
    if is_understood then
      return;
    end if;
    is_explicit := true;
  end if;

  if v_first = 'over' and v_rest like '% ago' then
    v_first := 'more';
    v_rest := 'than ' || v_rest;
  end if;
  if v_rest like 'than % ago' then
    v_period := braid_store.relative_period('last ' || substr(v_rest, 6, length(v_rest) - 9), time_zone,
      reference_time);
    is_understood := v_period.starts_at is not null and v_first in ('more', 'longer', 'less');
    starts_at := case v_first when 'less' then v_period.starts_at end;
    ends_at := case v_first when 'less' then reference_time else v_period.starts_at end;
    return;
  end if;

  if v_first = 'up' and v_rest like 'to %' then
    v_first := 'until';
    v_rest := substr(v_rest, 4);
  elsif v_first = 'from' and v_rest like any ('{% on,% onward,% onwards}') then
    v_first := 'since';
    v_rest := regexp_replace(v_rest, ' on(wards?)?$', '');
  end if;
  if v_first in ('since', 'before', 'after', 'until', 'till', 'by', 'through') then
    v_period := braid_store.named_period(v_rest, time_zone, reference_time);
    is_understood := v_period.starts_at is not null;
    starts_at := case v_first when 'since' then v_period.starts_at when 'after' then v_period.ends_at end;
    ends_at := case when v_first = 'before' then v_period.starts_at
                    when v_first in ('until', 'till', 'by', 'through') then v_period.ends_at end;
    return;
  end if;

  v_period := braid_store.named_period(
    case when v_first in ('in', 'on', 'at', 'during', 'over', 'within', 'throughout', 'for', 'from', 'of') then v_rest
         else phrase end,
    time_zone, reference_time);
  starts_at := v_period.starts_at;
  ends_at := v_period.ends_at;
  is_understood := v_period.starts_at is not null;
  is_explicit := v_period.is_relative
                 or v_first in ('in', 'during', 'from', 'throughout')
                 or v_first = 'on' and v_period.ends_at - v_period.starts_at < interval '26 hours';
end
$$;

comment on function braid_store.timeframe_phrase(text, text, timestamptz) is
  'Return the range that one phrase stands for; null means open. The phrase is in lower case and may begin with a '
  'preposition. is_understood: whether the phrase is a timeframe. is_explicit: whether the phrase would also mean a '
  'time inside other text.';
