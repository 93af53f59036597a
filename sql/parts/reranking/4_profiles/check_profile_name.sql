create or replace function braid_store.check_profile_name(profile text)
returns void
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
begin
  if (octet_length(check_profile_name.profile) between 1 and 255) is not true then
    raise exception 'profile is %', coalesce('''' || left(check_profile_name.profile, 100) || '''', 'null')
      using errcode = '22023', hint = 'Give a name of 1 to 255 bytes, such as the user''s id.';
  end if;
end
$$;

comment on function braid_store.check_profile_name(text) is 'Raise 22023 for a name that no profile can have.';
