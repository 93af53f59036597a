create or replace function braid_store.complete_configuration(configuration jsonb, level text, match_count int)
returns jsonb
language sql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  select configuration || jsonb_build_object(
           'mode', coalesce(configuration ->> 'mode', 'hybrid'),
           'collection', coalesce(configuration ->> 'collection', 'default'),
           'match_count', coalesce((configuration ->> 'match_count')::numeric::int, complete_configuration.match_count),
           'options', case when level = 'document' then '{"group_by": "document"}' else '{}' end::jsonb
                      || coalesce(nullif(configuration -> 'options', 'null'), '{}'));
$$;

comment on function braid_store.complete_configuration(jsonb, text, int) is
  'Return the configuration with defaults for mode, collection and match_count and, in a query set of documents, for '
  'the option group_by.';
