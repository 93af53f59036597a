create or replace function braid_store.filter_bound(kind text, operator text, operand jsonb)
returns jsonb
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  v_text text := filter_bound.operand #>> '{}';
  v_next text;
begin
  if filter_bound.kind = 'timestamptz' and filter_bound.operator in ('$lte', '$gt')
     and v_text ~ E'^\\d{4,6}-\\d{2}-\\d{2}$' and pg_input_is_valid(v_text, 'date') then
    v_next := to_char(v_text::date + 1, 'YYYY-MM-DD');
    if pg_input_is_valid(v_next, 'timestamptz') then
      return to_jsonb(v_next);
    end if;
  end if;
  return filter_bound.operand;
end
$$;
comment on function braid_store.filter_bound(text, text, jsonb) is
  'Return the value that a range of a filter compares with, which is usually its operand. A date alone is a whole '
  'day: for $lte and $gt of a time, the value is the day after. The range then has times before that day ($lte), or '
  'from that day on ($gt).';
