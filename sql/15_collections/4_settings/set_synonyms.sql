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
  E'Sets the words that a query for a word also finds in a collection, in place of those set before.\n'
  'An empty array removes them. It works in one direction: with synonyms {automobile} for the word car, a query for '
  'automobile does not find car. Words with the same stem count as one word. Each must take one place in a text: '
  'ORA-00942 does, New York does not. At most 63 synonyms, in effect from the next query on. Returns how many were '
  'stored. For administrators.';
