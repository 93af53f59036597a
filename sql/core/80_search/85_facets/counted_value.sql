create or replace function braid_store.counted_value(key text, type text)
returns text
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
begin
  if counted_value.type = 'number' then
    -- This excludes NaN and infinities, and sums of which the result would be infinite.
    return case when counted_value.key = 'importance'
      then 'case when c.importance between -1e300 and 1e300 then c.importance end' end;
  elsif counted_value.type = 'time' then
    -- ISO 8601 has the years 1 to 9999, and a zone could lead beyond them.
    return case when counted_value.key = 'occurred_at'
      then 'case when c.occurred_at between ''0001-01-02 UTC'' and ''9999-12-31 UTC'' then c.occurred_at end' end;
  elsif counted_value.key in ('speaker', 'category', 'language', 'importance') then
    return format('c.%I', counted_value.key);
  elsif counted_value.key in ('external_id', 'source_uri') then
    return format('(select d.%I from braid_store.documents d where d.tenant_id = $1 '
                  'and d.id between c.document_id and c.document_id order by d.id offset 0)', counted_value.key);
  end if;
  return null;
end
$$;

comment on function braid_store.counted_value(text, text) is
  'Return the SQL expression for what a column of the chunk c holds, as a number, a time, or as it is for any other '
  'type. Return null if no column of that type has this name in filters: the key is a metadata key.';
