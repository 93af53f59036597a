create or replace function braid_store.check_profile_attributes(attributes jsonb, argument_name text)
returns void
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  c_most_keys constant int := 8;
  c_most_values constant int := 1000;
  c_max_bytes constant int := 100000;
  v_wrong record;
begin
  if jsonb_typeof(check_profile_attributes.attributes) is distinct from 'object' then
    raise exception '% is %', argument_name, coalesce(left(check_profile_attributes.attributes::text, 100), 'null')
      using errcode = '22023',
            hint = 'Give an object of keys, each with weights of its values: {"category": {"billing": 0.5}}.';
  end if;
  select k.key, k.value, v.key as name, case when p.is_key then v.value end as weight into v_wrong
  from jsonb_each(check_profile_attributes.attributes) k
  cross join lateral (
    select k.key not in ('', 'external_id', 'source_uri', 'importance', 'occurred_at', 'title', 'content',
      'token_count')
           and not k.key ^@ '$' and octet_length(k.key) <= 1024 and jsonb_typeof(k.value) = 'object' as is_key
    offset 0
  ) p
  left join lateral jsonb_each(case jsonb_typeof(k.value) when 'object' then k.value end) v on true
  where not p.is_key or v.value is not null and not braid_store.is_number(v.value, -1, 1)
  order by k.key, v.key
  limit 1;
  if found and v_wrong.weight is null then
    raise exception '%: key "%" has %', argument_name, left(v_wrong.key, 100), left(v_wrong.value::text, 100)
      using errcode = '22023',
            hint = 'A key is category, speaker, language or a metadata key ("metadata.title", if it has the name of a '
              'column) of up '
                   'to 1,024 bytes, and has an object of weights: {"billing": 0.5}.';
  elsif found then
    raise exception '%: the weight of "%" under "%" is %', argument_name, left(v_wrong.name, 100),
      left(v_wrong.key, 100),
                    left(v_wrong.weight::text, 100)
      using errcode = '22023', hint = 'Use a number from -1 to 1.';
  elsif (select count(*) from jsonb_object_keys(check_profile_attributes.attributes)) > c_most_keys
        or (select count(*) from jsonb_each(check_profile_attributes.attributes) k,
          jsonb_object_keys(k.value)) > c_most_values
        or octet_length(check_profile_attributes.attributes::text) > c_max_bytes then
    raise exception '% has more than % keys, % values or % bytes', argument_name, c_most_keys, c_most_values,
      c_max_bytes
      using errcode = '54000', hint = 'Keep the values that matter most.';
  end if;
end
$$;

comment on function braid_store.check_profile_attributes(jsonb, text) is
  'Check the weights of attributes. Raise 22023 if they are malformed, and 54000 for too many. argument_name: the '
  'name of the argument in messages.';
