create or replace function braid_store.name_key(name text)
returns text
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
begin
  -- A search compares names of at most 200 bytes, and folding changes their length little. NFKC keeps
  -- ASCII, which most names are. It leaves four other spaces, and only some locales count them as \s.
  return case when octet_length(name_key.name) <= 400 then nullif(btrim(
    case when octet_length(name_key.name) = length(name_key.name)
         then lower(regexp_replace(name_key.name, E'\\s+', ' ', 'g') collate "C")
         else braid_store.token_lower(regexp_replace(
           normalize(name_key.name, nfkc), E'[\\s\u0085\u1680\u2028\u2029]+', ' ', 'g')) end,
    E' \u0027"`’‘‚‛“”„‟«»‹›「」『』'), '') end;
end
$$;

comment on function braid_store.name_key(text) is
  'Return the form in which names are compared: in lower case and NFKC, with single spaces, and without spaces and '
  'quotation marks at its ends. The form is null for a name of more than 400 bytes, and for a name without any other '
  'character.';
