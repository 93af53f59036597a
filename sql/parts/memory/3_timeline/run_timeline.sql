-- role: reader
create or replace function braid_calls.run_timeline(
  topic text,
  query_embedding @vector@.vector,
  timeframe text,
  strategy text,
  match_count int,
  context_before int,
  context_after int,
  filters jsonb,
  collection text,
  time_zone text,
  reference_time timestamptz,
  conversation_key text,
  candidate_count int,
  min_score float8,
  match text,
  options jsonb
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
language plpgsql
stable
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set jit = off
as $$
#variable_conflict use_column
declare
  v_tenant_id int := braid_store.require_tenant_id();
  v_collection braid_store.collections;
  v_options braid_store.search_options;
  v_plan record;
  v_found record;
  v_found_ids bigint[];
  v_scores float8[];
begin
  perform braid_store.check_timeline_arguments(match_count, context_before, context_after, conversation_key);
  v_options := braid_store.read_search_options(options);
  if options -> 'operators' is distinct from 'false' then
    perform braid_store.refuse_list(topic);
  end if;
  v_collection := braid_store.find_collection(collection);
  v_plan := braid_store.plan_recall(topic, query_embedding is not null, timeframe, strategy, time_zone,
                                    run_timeline.reference_time);
  if v_plan.searched = '' and query_embedding is null then
    if v_options.ranking is not null then
      perform braid_store.try_ranking(v_collection, v_options.ranking);
    end if;
    v_found_ids := braid_store.latest_chunks(
      v_tenant_id, v_collection.id,
      -- An index on other conditions is of no use, so the filter is not compiled any further.
      braid_store.filter_predicate(
        braid_store.extend_given_filters(braid_store.time_filter(filters, v_plan.ranges), v_collection.id),
        v_tenant_id, v_collection.id),
      match_count);
  else
    v_found := braid_calls.run_recall(
      query_text => topic, query_embedding => query_embedding, timeframe => timeframe, strategy => strategy,
      match_count => match_count, filters => filters, collection => collection, time_zone => time_zone,
      reference_time => v_plan.reference_time, candidate_count => candidate_count, min_score => min_score,
        match => match,
      -- Every turn has some similarity. Without a floor the timeline would show match_count turns about anything.
      options => case when min_score is null and (options is null or jsonb_typeof(options) in ('object', 'null'))
                      then '{"min_relevance": "auto"}' || coalesce(nullif(options, 'null'), '{}') else options end);
    select array_agg(r.chunk_id), array_agg(r.score) into v_found_ids, v_scores from unnest(v_found.results) r;
  end if;

  return query
  with turns as (
    select t.chunk_id, t.conversation, t.document_id as conversation_id, t.place,
           t.place - row_number() over (partition by t.conversation, t.document_id order by t.place) as island,
           m.chunk_id is not null as is_match, m.score
    from braid_store.surrounding_turns(v_tenant_id, v_collection.id, coalesce(v_found_ids, '{}'), context_before,
                                       context_after, conversation_key, filters) t
    left join unnest(v_found_ids, v_scores) m (chunk_id, score) on m.chunk_id = t.chunk_id
  ), told as (
    select t.*, c.document_id, d.external_id, c.chunk_index, d.title, c.content, d.source_uri, c.speaker, c.category,
           c.importance, c.occurred_at, c.metadata,
           -- A turn without a time is placed by the times of the turns around it.
           coalesce(c.occurred_at,
                    max(c.occurred_at) over (partition by t.conversation, t.conversation_id, t.island order by t.place),
                    min(c.occurred_at) over (partition by t.conversation, t.conversation_id, t.island)) as told_at
    from turns t,
         lateral (
           select c.* from braid_store.chunks c
           where c.tenant_id = v_tenant_id and c.id between t.chunk_id and t.chunk_id
           order by c.id
           offset 0
         ) c,
         lateral (
           select d.external_id, d.title, d.source_uri from braid_store.documents d
           where d.tenant_id = v_tenant_id and d.id between c.document_id and c.document_id
           order by d.id
           offset 0
         ) d
  ), numbered as (
    select t.*, min(t.number) over (partition by t.conversation, t.conversation_id, t.island) as first_number
    from (
      select t.*, row_number() over (order by t.told_at, t.external_id, t.chunk_index) as number
      from told t
    ) t
  )
  select (dense_rank() over (order by n.first_number))::int, n.is_match,
         coalesce(n.conversation #>> '{}', n.external_id), n.chunk_id, n.document_id, n.external_id, n.chunk_index,
           n.title,
         n.content, n.source_uri, n.speaker, n.category, n.importance, n.occurred_at, n.metadata, n.score
  from numbered n
  order by n.number;
end
$$;

comment on function braid_calls.run_timeline(text, @vector@.vector, text, text, int, int, int, jsonb, text, text,
                                             timestamptz, text, int, float8, text, jsonb) is
  'Do the work of braid.conversation_timeline for the tenant of the session.';
