create or replace function braid_store.request_principals(claims jsonb)
returns text[]
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  c_most constant int := 10000;
  v_principals text[];
begin
  v_principals := array(
    select distinct p.prefix || (v.value #>> '{}')
    from jsonb_each_text(coalesce((select s.claims from braid_store.permission_settings s), '{"sub": "user:"}'))
           p (path, prefix),
         lateral (
           -- Some identity providers name claims by addresses, which have points.
           select coalesce(request_principals.claims -> p.path,
                           request_principals.claims #> string_to_array(p.path, '.')) as value
           offset 0
         ) c,
         jsonb_array_elements(case jsonb_typeof(c.value) when 'array' then c.value
                                                         else jsonb_build_array(c.value) end) v (value)
    where jsonb_typeof(v.value) in ('string', 'number') and v.value #>> '{}' <> ''
    limit c_most + 1);
  if cardinality(v_principals) > c_most then
    raise exception 'the token names more than % principals', c_most
      using errcode = '54000', hint = 'Let tokens carry groups around these groups, which braid.add_principal_member '
                                      'makes.';
  end if;
  return v_principals;
end
$$;

comment on function braid_store.request_principals(jsonb) is
  'Return the principals that the claims of a token name. Each value of a claim that set_principal_claims lists, or '
  'each element of its array, is one principal behind the claim''s prefix. Raise 54000 if '
  'they are more than 10000.';
