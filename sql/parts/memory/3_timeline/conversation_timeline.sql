-- role: reader
-- example: braid.conversation_timeline(topic => 'discount', collection => 'small')
-- page: guide/memory.md#show-the-conversation-around-a-match
create or replace function braid.conversation_timeline(
  topic text default null,
  query_embedding @vector@.vector default null,
  timeframe text default null,
  strategy text default 'hybrid',
  match_count int default 50,
  context_before int default 2,
  context_after int default 2,
  filters jsonb default null,
  collection text default 'default',
  time_zone text default null,
  reference_time timestamptz default null,
  conversation_key text default null,
  candidate_count int default null,
  min_score float8 default null,
  match text default 'any',
  options jsonb default null
)
returns table (
  window_number int,
  is_match boolean,
  conversation text,
  chunk_id bigint,
  document_id bigint,
  external_id text,
  chunk_index int,
  title text,
  content text,
  source_uri text,
  speaker text,
  category text,
  importance float8,
  occurred_at timestamptz,
  metadata jsonb,
  score float8
)
language sql
stable
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  select t.*
  from braid_calls.run_timeline(
         topic, query_embedding, timeframe, strategy, match_count, context_before, context_after, filters,
         collection, time_zone, reference_time, conversation_key, candidate_count, min_score, match, options) t;
$$;

comment on function braid.conversation_timeline(text, @vector@.vector, text, text, int, int, int, jsonb, text, text,
                                                timestamptz, text, int, float8, text, jsonb) is
  E'Show the conversations around what braid.recall finds, in order of time.\n'
  'Each turn comes once; consecutive turns have the same window_number. topic, query_embedding: what the turns are '
  'about; without both, the matches are the last match_count turns of the timeframe. timeframe, filters: choose the '
  'matches, not the turns around them. match_count: the number of matches. context_before, context_after: the number '
  'of turns returned around a match, 0 to 1000 each. conversation_key: what the turns of a conversation share, if '
  'each turn is a document of its own. It is a metadata key or speaker, category or language; occurred_at then gives '
  'the order of turns. By default a document is a conversation and its chunks are the turns. is_match: true for '
  'matches, the turns that were found. score: null for turns that are not matches.\n'
  'At equal times, turns are in the order of external_id and chunk_index. Unless min_score or the option '
  'min_relevance is given, turns with hardly any relevance to the topic are left out, as by min_relevance auto. All '
  'other arguments are as in recall.';
