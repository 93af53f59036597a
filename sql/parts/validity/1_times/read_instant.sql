create or replace function braid_store.read_instant(value jsonb, name text)
returns text
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  v_text text := value #>> '{}';
begin
  if jsonb_typeof(value) = 'string' and v_text ~ E'^\\d{4}-\\d{2}-\\d{2}([T ]\\d|$)'
     and pg_input_is_valid(v_text, 'timestamptz')
     and extract(year from v_text::timestamptz at time zone 'UTC') between 1 and 9999 then
    return braid_store.instant_text(v_text::timestamptz);
  end if;
  raise exception '% is %', read_instant.name, left(value::text, 100)
    using errcode = '22023', hint = 'Give a time of the years 1 to 9999 in ISO 8601, such as "2026-03-01T00:00:00Z".';
end
$$;

comment on function braid_store.read_instant(jsonb, text) is
  'Return a time that a caller gives in the form of instant_text. A date is its midnight in the session''s time zone. '
  'Raise 22023 for anything else, by its name.';
