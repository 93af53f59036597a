create or replace function braid_store.demand_identifiers(query_text text)
returns text
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  v_words text[] := string_to_array(query_text, ' ');
  v_identifiers text[];
begin
  if cardinality(v_words) > 4 or query_text ~ '(?:^| )[+-]|[*"“”„]|(?:^| )OR(?: |$)' then
    return null;
  end if;
  v_identifiers := braid_store.query_identifiers(query_text);
  return case when v_identifiers <> '{}' then (
    select string_agg(case when w.word = any (v_identifiers) then '+' else '' end || w.word, ' ' order by w.place)
    from unnest(v_words) with ordinality w (word, place)) end;
end
$$;

comment on function braid_store.demand_identifiers(text) is
  'Return the text of a query of up to four words with + before its identifiers; null if it has none, or operators.';
