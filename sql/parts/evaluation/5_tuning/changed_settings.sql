create or replace function braid_store.changed_settings(baseline jsonb, candidate jsonb)
returns jsonb
language sql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  with settings as (
    select c.name, jsonb_each(
             -- An argument of the search takes precedence over the option ranking.
             case jsonb_typeof(c.value #> '{options,ranking}') when 'object' then c.value #> '{options,ranking}'
               else '{}' end
             || (case jsonb_typeof(c.value -> 'options') when 'object' then c.value -> 'options'
               else '{}' end - 'ranking')
             || (case jsonb_typeof(c.value) when 'object' then c.value else '{}' end - 'options')) as setting
    from (values ('baseline', changed_settings.baseline), ('candidate', changed_settings.candidate)) c (name, value)
  )
  select coalesce(jsonb_object_agg((c.setting).key, (c.setting).value), '{}')
  from settings c
  where c.name = 'candidate'
    and not exists (select from settings b
                    where b.name = 'baseline' and (b.setting).key = (c.setting).key
                      and (b.setting).value = (c.setting).value);
$$;

comment on function braid_store.changed_settings(jsonb, jsonb) is
  'Return the settings in which one configuration of searches differs from another, as one flat object: arguments, '
  'options and settings of the option ranking.';
