create or replace function braid_store.filter_literal(key text, kind text, operand jsonb)
returns text
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  v_text text := filter_literal.operand #>> '{}';
begin
  case filter_literal.kind
    when 'jsonb' then
      if jsonb_typeof(filter_literal.operand) in ('string', 'number', 'boolean') then
        return format('%L::jsonb', filter_literal.operand);
      end if;
      raise exception 'filters: key % cannot be compared with the % %', to_json(left(filter_literal.key, 100)),
                      jsonb_typeof(filter_literal.operand), left(filter_literal.operand::text, 100)
        using errcode = '22023',
              hint = 'Compare with a string, number or boolean, or with several values by {"$in": [...]}.';
    when 'text' then
      if jsonb_typeof(filter_literal.operand) = 'string' then
        return format('%L', v_text);
      end if;
      raise exception 'filters: key % holds text and cannot be compared with %',
                      to_json(left(filter_literal.key, 100)), left(filter_literal.operand::text, 100)
        using errcode = '22023',
              hint = format('Compare with a string, e.g. {"%s": "text"}, or with several by {"$in": [...]}. Write a '
                            'metadata key of this name as "metadata.%s".', filter_literal.key, filter_literal.key);
    when 'float8' then
      if jsonb_typeof(filter_literal.operand) = 'number' and pg_input_is_valid(v_text, 'float8') then
        return format('%L::float8', v_text);
      end if;
      raise exception 'filters: key % holds double precision numbers and cannot be compared with %',
                      to_json(left(filter_literal.key, 100)), left(filter_literal.operand::text, 100)
        using errcode = '22023',
              hint = format('Compare with a number, e.g. {"%s": {"$gte": 0.5}}. Write a metadata key of this name '
                            'as "metadata.%s".', filter_literal.key, filter_literal.key);
    when 'timestamptz' then
      -- Only the ISO form is accepted: the meaning of others, such as 01/02/2024, depends on the session's DateStyle.
      if jsonb_typeof(filter_literal.operand) = 'string' and v_text ~ E'^\\d{4,6}-\\d{2}-\\d{2}([T ]\\d|$)'
         and pg_input_is_valid(v_text, 'timestamptz') then
        return format('%L::timestamptz', v_text);
      end if;
      raise exception 'filters: key % holds timestamps and cannot be compared with %',
                      to_json(left(filter_literal.key, 100)), left(filter_literal.operand::text, 100)
        using errcode = '22023',
              hint = format('Compare with an ISO 8601 string, e.g. {"%s": {"$gte": "2024-05-01T00:00:00Z"}}. Write '
                            'a metadata key of this name as "metadata.%s".',
                            filter_literal.key, filter_literal.key);
  end case;
end
$$;
comment on function braid_store.filter_literal(text, text, jsonb) is
  'Return a filter''s operand as an SQL literal of the type that the key holds. Raise 22023, naming key and operand, '
  'if the operand has another type.';
