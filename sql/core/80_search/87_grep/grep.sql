-- role: reader
-- example: braid.grep(pattern => 'discount', collection => 'small')
-- page: guide/grep.md
create or replace function braid.grep(
  pattern text default null,
  filters jsonb default null,
  collection text default 'default',
  match_count int default 20,
  after bigint default null,
  regex boolean default false,
  ignore_case boolean default false,
  excerpt_length int default 200
)
returns jsonb
language sql
stable
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  select braid_calls.find_matches(grep.pattern, grep.filters, grep.collection, grep.match_count, grep.after, grep.regex,
                                  grep.ignore_case, grep.excerpt_length);
$$;

comment on function braid.grep(text, jsonb, text, int, bigint, boolean, boolean, int) is
  E'Find the chunks whose content has a text exactly as written, or matches a regular expression. Return one JSON '
  'object, with matches in the order in which the chunks were stored.\n'
  'pattern: the text, up to 500 characters; null, the default, matches every chunk that filters let pass. filters: '
  'the conditions, as in searches. match_count: how many chunks are returned, 1 to 1000. after: null, or next_after of '
  'the answer before, to go on. regex: true reads the pattern as a regular expression of PostgreSQL without '
  'backreferences and lookarounds; ^ and $ match at lines, \\b at the boundary of a word. ignore_case: true finds '
  'other cases, too. excerpt_length: the most characters of an excerpt, 20 to 10000.\n'
  'The answer has matches, scanned_count, stopped_by and next_after. A match has chunk_id, document_id, external_id, '
  'chunk_index, title, source_uri, speaker, occurred_at, metadata and excerpts: the lines of up to three matches. If '
  'there may be more, stopped_by says why it ended: match_count, time (5 seconds), scanned_count (1,000,000 chunks) or '
  'bytes (1,000,000).';
