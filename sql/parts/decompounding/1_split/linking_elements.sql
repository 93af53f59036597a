create or replace function braid_store.linking_elements(text_config text)
returns text[]
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
begin
  return case when text_config = 'german' then '{"",s,n,e,es,en,er}'
              when text_config = 'dutch' then '{"",s,e,en}'
              when text_config in ('danish', 'norwegian', 'swedish') then '{"",s,e}'
              when text_config = 'simple' or strpos(text_config, '.') > 0 then '{"",s,n,e,es,en,er}'
              else '{}' end::text[];
end
$$;

comment on function braid_store.linking_elements(text) is
  'Return what may stand between the parts of a compound in the language of a text search configuration: nothing or '
  'a linking element, as the s of Versicherungsvertrag. The array is empty for a language that writes its compounds '
  'with spaces. simple and configurations of your own have the elements of all languages.';
