create or replace function braid_store.token_dictionaries(text_config text)
returns regdictionary[]
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
begin
  -- 1 and 2 are the default parser's token types asciiword and word.
  return (
    select case when count(*) = 2 and min(m.maptokentype) = 1 and max(m.maptokentype) = 2
                then array_agg(m.mapdict::regdictionary order by m.maptokentype) end
    from pg_ts_config_map m
    where m.mapcfg = braid_store.token_config(token_dictionaries.text_config) and m.maptokentype in (1, 2));
end
$$;

comment on function braid_store.token_dictionaries(text) is
  'Return the two dictionaries of a text search configuration: the first for words in ASCII, the second for all '
  'others. Return null if either kind of words goes through several dictionaries. Raise 42704 if there is no such '
  'configuration.';
