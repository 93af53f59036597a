-- role: reader
-- example: braid.complete(prefix => 'pri', collection => 'small')
-- page: guide/completion.md
create or replace function braid.complete(
  prefix text,
  filters jsonb default null,
  collection text default 'default',
  match_count int default 10,
  kinds text[] default '{word,phrase,title}'
)
returns table (completion text, kind text, frequency int)
language sql
stable
parallel unsafe
security invoker
rows 10
set search_path = pg_catalog, pg_temp
as $$
  select * from braid_calls.complete_prefix(complete.prefix, complete.filters, complete.collection,
                                            complete.match_count, complete.kinds);
$$;

comment on function braid.complete(text, jsonb, text, int, text[]) is
  E'Complete what somebody has typed into a search field so far, with words of the tenant''s texts.\n'
  'prefix: the text before the cursor, up to 1000 characters. Its last word is completed; after a space, the next word '
  'is proposed. filters: only documents and chunks that pass are read. match_count: how many rows, 1 to 100. kinds: '
  'any of word, phrase and title, in the order of the rows; each gets its share of them.\n'
  'completion is the whole text to put into the field, with the word as texts write it. Words that follow the words '
  'before the cursor come first, then frequent ones. frequency: how many of the chunks read have the completed words '
  'after the same words, or how many of their documents have the title.';
