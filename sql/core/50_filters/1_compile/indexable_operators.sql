create or replace function braid_store.indexable_operators(operand jsonb)
returns jsonb
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
begin
  return case
    when jsonb_typeof(operand) <> 'object' then jsonb_build_object('$eq', operand)
    when operand ? '$eq' then jsonb_build_object('$eq', operand -> '$eq')
    when operand ? '$in' then jsonb_build_object('$in', operand -> '$in')
    when jsonb_typeof(operand #> '{$all,0}') is not null then jsonb_build_object('$eq', operand #> '{$all,0}')
    when operand ? '$between' then jsonb_build_object('$gte', operand #> '{$between,0}', '$lte',
      operand #> '{$between,1}')
    else (select coalesce(jsonb_object_agg(o.key, o.value), '{}')
          from jsonb_each(operand) o where o.key in ('$gt', '$gte', '$lt', '$lte'))
  end;
end
$$;

comment on function braid_store.indexable_operators(jsonb) is
  'Return the operators of one key of a filter that an index can answer: $eq, or $in, or the bounds of one range; '
  'return {} if there are none. Only one of these is returned, because different elements of a list may meet each. A '
  'chunk that meets all operators also meets the one returned.';
