create or replace function braid_store.refuse_other_options(function text, options jsonb, parts text[], hint text)
returns void
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  v_other text := (
    select o.name
    from braid_store.given_options(refuse_other_options.options) o
    where o.value <> 'null' and o.types <> '{keys}' and o.part <> all (refuse_other_options.parts)
    order by o.name
    limit 1);
begin
  if v_other is not null then
    raise exception 'option % has no meaning for %', v_other, refuse_other_options.function
      using errcode = '22023', hint = refuse_other_options.hint;
  end if;
end
$$;

comment on function braid_store.refuse_other_options(text, jsonb, text[], text) is
  'Raise 22023 for an option that a function would ignore. function: the function''s name, for the message. parts: '
  'the parts of a search (see known_search_options) whose options the function uses.';
