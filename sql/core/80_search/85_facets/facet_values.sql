create or replace function braid_store.facet_values(key text, number int)
returns text
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
begin
  if facet_values.key = 'speaker' then
    -- As in filters, each of several speakers counts.
    return format($query$
      select %1$s, to_jsonb(c.speaker) where c.speaker is not null
        and (%2$s and c.metadata @? 'strict $.speakers[0]') is not true
      union all
      select distinct %1$s, e.value
      from jsonb_array_elements(case when %2$s and c.metadata @? 'strict $.speakers[0]'
        then c.metadata -> 'speakers' end) e
      where jsonb_typeof(e.value) = 'string'
      $query$, facet_values.number, braid_store.speaks_with_others());
  elsif facet_values.key in ('category', 'language', 'importance') then
    return format('select %s, to_jsonb(c.%I) where c.%I is not null', facet_values.number, facet_values.key,
                  facet_values.key);
  elsif facet_values.key in ('external_id', 'source_uri') then
    return format('select %s, d.value from (select to_jsonb(d.%I) as value from braid_store.documents d '
                  'where d.tenant_id = $1 and d.id between c.document_id and c.document_id order by d.id offset 0) d '
                  'where d.value is not null', facet_values.number, facet_values.key);
  elsif facet_values.key = 'occurred_at' then
    raise exception 'keys: occurred_at cannot be counted'
      using errcode = '22023',
            hint = 'Store the day, month or year as a metadata key, and count that key. Write a metadata key named '
                   'occurred_at as "metadata.occurred_at".';
  elsif facet_values.key ^@ '$' then
    raise exception 'keys: unknown key %', to_json(left(facet_values.key, 100))
      using errcode = '22023', hint = 'Write a metadata key that begins with $ as "metadata.$key".';
  end if;
  return format($query$
    select %1$s, m.value from (select %2$s as value offset 0) m
    where jsonb_typeof(m.value) in ('string', 'number', 'boolean')
    union all
    select distinct %1$s, e.value
    from (select %2$s as value offset 0) m,
         jsonb_array_elements(case jsonb_typeof(m.value) when 'array' then m.value else '[]' end) e
    where jsonb_typeof(e.value) in ('string', 'number', 'boolean')
    $query$, facet_values.number, braid_store.filter_metadata_field(facet_values.key));
end
$$;

comment on function braid_store.facet_values(text, int) is
  'Return an SQL query for the values of a key that a chunk has, each once. The chunk has the alias c in this query. '
  'Each row has number, which stands for the key, and a value. Raise 22023 for a key that cannot be counted.';
