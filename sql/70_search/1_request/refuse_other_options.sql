create or replace function braid_store.refuse_other_options(function text, options jsonb, known text[], hint text)
returns void
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  v_other text := (
    select o.key
    from jsonb_each(refuse_other_options.options) o
    where o.value <> 'null' and o.key <> all (refuse_other_options.known)
    order by o.key
    limit 1);
begin
  if v_other is not null then
    raise exception 'option % has no meaning for %', v_other, refuse_other_options.function
      using errcode = '22023', hint = refuse_other_options.hint;
  end if;
end
$$;

comment on function braid_store.refuse_other_options(text, jsonb, text[], text) is
  'Raises 22023 for options of searches that a function would ignore.';
