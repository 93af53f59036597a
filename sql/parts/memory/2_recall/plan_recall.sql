create or replace function braid_store.plan_recall(
  query_text text,
  has_embedding boolean,
  timeframe text,
  asked_strategy text,
  time_zone text,
  asked_reference_time timestamptz,
  out searched text,
  out ranges tstzmultirange,
  out phrases text[],
  out strategy text,
  out reason text,
  out zone text,
  out reference_time timestamptz,
  out warnings jsonb
)
language plpgsql
stable
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  v_read_warnings jsonb := '[]';
begin
  if asked_strategy not in ('hybrid', 'full_text', 'semantic', 'prefilter', 'auto') or asked_strategy is null then
    raise exception 'strategy is %', coalesce('''' || left(asked_strategy, 100) || '''', 'null')
      using errcode = '22023', hint = concat('Use hybrid, full_text, semantic, prefilter or auto.',
        braid_store.other_name(asked_strategy));
  end if;
  zone := braid_store.zone_name(time_zone);
  reference_time := braid_store.check_reference_time(asked_reference_time);
  searched := coalesce(query_text, '');
  phrases := '{}';
  if lower(btrim(timeframe) collate "C") = 'auto' then
    select e.searched, e.ranges, e.phrases, e.warnings into searched, ranges, phrases, v_read_warnings
    from braid_store.extract_timeframes(searched, zone, reference_time) e;
  elsif timeframe is not null then
    ranges := braid_store.parse_timeframes(timeframe, zone, reference_time);
  end if;
  strategy := case when searched = '' then 'semantic' when not has_embedding then 'full_text'
                   when asked_strategy = 'auto' then 'hybrid' else asked_strategy end;
  warnings := case when strategy = asked_strategy or strategy = 'hybrid' then '[]'
    else jsonb_build_array(jsonb_build_object(
           'code', case when has_embedding then 'no_query_text' else 'no_query_embedding' end,
           'message', format('Without %s the search was %s.',
                             case when has_embedding then 'query_text' else 'query_embedding' end, strategy))) end
                               || v_read_warnings;
  reason := case
    when asked_strategy = strategy then 'The call asked for this strategy.'
    when not has_embedding then 'There is no query_embedding.'
    when searched = '' then 'There is no query_text.'
  end;
end
$$;

comment on function braid_store.plan_recall(text, boolean, text, text, text, timestamptz) is
  'Decide what a recall searches. searched: the text without its timeframe. ranges: the ranges of time; null for all '
  'time. strategy: the requested strategy, or the best that the given arguments allow; reason says why. Raise 22023 '
  'for arguments that no recall can use.';
