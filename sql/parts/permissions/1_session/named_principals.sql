create or replace function braid_store.named_principals()
returns text[]
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  c_most constant int := 10000;
  v_named text := nullif(current_setting('braid.principals', true), '');
begin
  if v_named is null then
    return null;
  elsif not pg_input_is_valid(v_named, 'jsonb')
        or jsonb_typeof(v_named::jsonb) <> 'array'
        or jsonb_path_exists(v_named::jsonb, 'strict $[*] ? (@.type() != "string")') then
    raise exception 'braid.principals is ''%''', left(v_named, 100)
      using errcode = '22023',
            hint = 'Set a JSON array of texts: set braid.principals = ''["user:ana", "group:sales"]''. '
                   'An empty array names nobody; an empty text leaves the setting unused.';
  elsif jsonb_array_length(v_named::jsonb) > c_most then
    raise exception 'braid.principals has % principals, more than %', jsonb_array_length(v_named::jsonb), c_most
      using errcode = '54000', hint = 'Name groups around these groups, which braid.add_principal_member makes.';
  end if;
  return array(select jsonb_array_elements_text(v_named::jsonb));
end
$$;

comment on function braid_store.named_principals() is
  'Return the principals that the setting braid.principals names; null if it is not set. Raise 22023 if it is not a '
  'JSON array of texts, 54000 if it is longer than 10000. Any login can set it, so the caller decides what it may '
  'change.';
