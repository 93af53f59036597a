create or replace function braid_store.given_options(options jsonb)
returns table (
  name text, value jsonb, is_option boolean, is_given boolean, is_valid boolean, part text, attribute text, types text[]
)
language sql
immutable
parallel safe
security invoker
rows 5
set search_path = pg_catalog, pg_temp
as $$
  with known as materialized (
    select * from braid_store.known_search_options()
  ), given as (
    select o.key as name, o.value, true as is_option from jsonb_each(given_options.options) o
    union all
    select concat(o.key, '.', n.key), n.value, false
    from jsonb_each(given_options.options) o
    join known k on k.name = o.key and 'keys' = any (k.types),
         lateral jsonb_each(case jsonb_typeof(o.value) when 'object' then o.value else '{}' end) n
  )
  select g.name,
         case when jsonb_typeof(g.value) = 'object' and 'keys' = any (k.types) and k.attribute is not null then 'true'
              when jsonb_typeof(g.value) = 'number' and 'integer' = any (k.types) and v.is_valid
                then to_jsonb((g.value #>> '{}')::float8::int)
              else g.value end,
         g.is_option,
         (g.value <> 'null' or 'null' = any (k.types))
         -- An option that may be a string or an object has no value of its own if it is an object; a key of the object
         -- gives the value.
         and not (jsonb_typeof(g.value) = 'object' and k.types @> '{string,keys}'),
         v.is_valid, k.part, k.attribute, k.types
  from given g
  left join known k on k.name = g.name
  cross join lateral (
    select case when k.name is null then false
                -- Arguments of highlight may be null only where null has a meaning.
                when g.value = 'null' then g.is_option or k.part <> 'snippet' or 'null' = any (k.types)
                when jsonb_typeof(g.value) = 'object' then k.types && '{object,keys}'
                when jsonb_typeof(g.value) = 'number'
                  then k.types && '{number,integer}'
                       and braid_store.is_number(g.value, coalesce(k.least_value, '-infinity'),
                         coalesce(k.greatest_value, 'infinity'))
                       and ('number' = any (k.types) or braid_store.is_whole_number(g.value, -2147483648, 2147483647))
                when jsonb_typeof(g.value) = 'string'
                  then 'string' = any (k.types) and (k.words is null or g.value #>> '{}' = any (k.words))
                else jsonb_typeof(g.value) = any (k.types) end as is_valid
    offset 0
  ) v;
$$;

comment on function braid_store.given_options(jsonb) is
  'List the options that a search gives, and the keys of options that are objects, named option.key. value is the '
  'value for the attribute of braid_store.search_options. is_option: whether this is an option, not a key. is_given: '
  'whether it has a value that counts. is_valid: whether the option may have this value. part, attribute and types '
  'are as in known_search_options; part is null for unknown options.';
