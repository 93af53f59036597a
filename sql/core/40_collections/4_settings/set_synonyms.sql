-- role: administrator
-- example: braid.set_synonyms(word => 'discount', synonyms => '{rebate}')
-- page: guide/synonyms.md
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
  E'Set the words and phrases that a query for a word or phrase also finds in a collection, in place of its former '
  'synonyms.\n'
  'word: a word or phrase that queries have. synonyms: at most 63 words or phrases, of 16 words each; an empty array '
  'removes the synonyms of the word.\n'
  'They hold from the next query on, in one direction: with synonyms {automobile} for the word car, a query for '
  'automobile does not find car. A text is ranked as if each synonym in it were the word. For a phrase, whose words '
  'must stand together in the query, a synonym counts as each of its words. Words with the same stem count as one '
  'word. A synonym that contains the word or another synonym is left out, since a query finds it anyway. Return how '
  'many were stored. Only administrators may call it.';
