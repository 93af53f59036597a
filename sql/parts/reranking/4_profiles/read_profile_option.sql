create or replace function braid_store.read_profile_option(given jsonb)
returns jsonb
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  v_profile jsonb := case jsonb_typeof(given) when 'string' then jsonb_build_object('name', given)
                                              else jsonb_strip_nulls(given) end;
  v_wrong record;
begin
  select p.key, p.value, k.hint into v_wrong
  from jsonb_each(v_profile) p
  left join (values
    ('name', 'Give the name of a profile, 1 to 255 bytes.'),
    ('embedding', 'Give an array of numbers, as many as the collection has dimensions.'),
    ('attributes', 'Give an object of keys, each with weights of its values: {"category": {"billing": 0.5}}.'),
    ('weight', 'Use a number from 0 to 1000000, usually 0.2.')
  ) k (key, hint) on k.key = p.key
  where case p.key
          when 'name' then jsonb_typeof(p.value) = 'string' and octet_length(p.value #>> '{}') between 1 and 255
          when 'embedding' then jsonb_typeof(p.value) in ('array', 'string')
          when 'attributes' then jsonb_typeof(p.value) = 'object'
          when 'weight' then braid_store.is_number(p.value, 0, 1e6)
          else false
        end is not true
  order by p.key
  limit 1;
  if found then
    raise exception 'option profile: % is %', left(v_wrong.key, 100), left(v_wrong.value::text, 100)
      using errcode = '22023',
            hint = coalesce(v_wrong.hint, 'The keys are: name, embedding, attributes, weight.');
  elsif not v_profile ?| '{name,embedding,attributes}' then
    raise exception 'option profile is %', left(given::text, 100)
      using errcode = '22023', hint = 'Give the name of a profile, or an embedding or attributes.';
  elsif v_profile ? 'attributes' then
    perform braid_store.check_profile_attributes(v_profile -> 'attributes', 'option profile: attributes');
  end if;
  return v_profile;
end
$$;

comment on function braid_store.read_profile_option(jsonb) is
  'Return the option profile as an object with some of the keys name, embedding, attributes and weight. given: this '
  'object, or a name. Raise 22023 for values that cannot be used.';
