create or replace function braid.set_synonyms(word text, synonyms text[], collection text default 'default')
returns int
language sql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  select braid_store.replace_synonyms(set_synonyms.word, set_synonyms.synonyms, set_synonyms.collection);
$$;

comment on function braid.set_synonyms(text, text[], text) is
  'Sets what else a query for a word finds in a collection, in place of what was set before; an empty array sets nothing. '
  'One direction: with car: {automobile}, automobile does not find car. Words with the same stem are one word; each must '
  'take one place in a text, as ORA-00942 does and New York does not. At most 63, in effect from the next query on. '
  'Returns how many there are. For administrators.';
