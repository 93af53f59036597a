-- role: reader
create or replace function braid_calls.find_matches(
  pattern text,
  filters jsonb,
  collection text,
  match_count int,
  after bigint,
  regex boolean,
  ignore_case boolean,
  excerpt_length int
)
returns jsonb
language plpgsql
stable
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set jit = off
as $$
declare
  c_max_scanned constant int := 1000000;
  c_max_time constant interval := '5 seconds';
  c_max_bytes constant int := 1000000;
  c_first_batch constant int := 200;
  c_last_batch constant int := 10000;
  v_started timestamptz := clock_timestamp();
  v_tenant_id int := braid_store.require_tenant_id();
  v_collection_id int := (braid_store.find_collection(find_matches.collection)).id;
  v_pattern text;
  v_flags text;
  v_filter braid_store.filter;
  v_chunk_ids bigint[];
  v_batch int := c_first_batch;
  v_after bigint := coalesce(find_matches.after, 0);
  v_scan record;
  v_matched_ids bigint[] := '{}';
  v_scanned_count bigint := 0;
  v_stopped_by text;
  v_row record;
  v_matches jsonb[] := '{}';
  v_bytes bigint := 0;
begin
  if (find_matches.match_count between 1 and 1000) is not true then
    raise exception 'match_count is %', coalesce(find_matches.match_count::text, 'null')
      using errcode = '22023', hint = 'Use 1 to 1000, and give after to get the next matches.';
  elsif (find_matches.excerpt_length between 20 and 10000) is not true then
    raise exception 'excerpt_length is %', coalesce(find_matches.excerpt_length::text, 'null')
      using errcode = '22023', hint = 'Use 20 to 10000 characters.';
  elsif find_matches.regex is null or find_matches.ignore_case is null then
    raise exception '% is null', case when find_matches.regex is null then 'regex' else 'ignore_case' end
      using errcode = '22023', hint = 'Give true or false.';
  end if;
  v_pattern := braid_store.checked_pattern(coalesce(find_matches.pattern, ''), find_matches.regex,
    find_matches.ignore_case and find_matches.pattern <> '');
  -- n: a line ends at a line feed, where ^ and $ match and . does not.
  v_flags := case when find_matches.regex or find_matches.ignore_case
    then case when find_matches.regex then 'n' else '' end || case when find_matches.ignore_case then 'i' else 'c' end
    end;
  v_filter := braid_store.compile_filter(find_matches.filters, v_tenant_id, v_collection_id);
  v_chunk_ids := braid_store.few_filtered_chunk_ids(v_tenant_id, v_collection_id, v_filter);
  if v_chunk_ids is not null then
    v_chunk_ids := array(select u from unnest(v_chunk_ids) u where u > v_after order by u);
  end if;

  loop
    select s.* into v_scan
    from braid_store.scan_matches(v_tenant_id, v_collection_id, v_filter, v_chunk_ids[1 : v_batch], v_pattern, v_flags,
      v_after, v_batch, v_started + c_max_time) s;
    v_chunk_ids := v_chunk_ids[v_batch + 1 :];
    v_scanned_count := v_scanned_count + v_scan.scanned_count;
    v_matched_ids := v_matched_ids || v_scan.matched_ids;
    exit when v_scan.last_id is null;
    v_after := v_scan.last_id;
    if cardinality(v_matched_ids) > find_matches.match_count then
      v_stopped_by := 'match_count';
      v_matched_ids := v_matched_ids[1 : find_matches.match_count];
      v_after := v_matched_ids[find_matches.match_count];
    elsif not v_scan.is_complete or clock_timestamp() - v_started > c_max_time then
      v_stopped_by := 'time';
    elsif v_scanned_count >= c_max_scanned then
      v_stopped_by := 'scanned_count';
    end if;
    exit when v_stopped_by is not null;
    v_batch := least(2 * v_batch, c_last_batch);
  end loop;
  v_started := clock_timestamp();

  for v_row in
    select jsonb_build_object(
             'chunk_id', c.id, 'document_id', c.document_id, 'external_id', d.external_id,
             'chunk_index', c.chunk_index, 'title', d.title, 'source_uri', d.source_uri, 'speaker', c.speaker,
             'occurred_at', c.occurred_at, 'metadata', c.metadata) as found, c.content
    from unnest(v_matched_ids) with ordinality u (chunk_id, place),
         lateral (
           select * from braid_store.chunks c
           where c.tenant_id = v_tenant_id and c.id between u.chunk_id and u.chunk_id order by c.id offset 0
         ) c,
         lateral (
           select * from braid_store.documents d
           where d.tenant_id = v_tenant_id and d.id between c.document_id and c.document_id order by d.id offset 0
         ) d
    order by u.place
  loop
    -- The excerpts are made here, since the loop takes 50 rows at a time from its query.
    v_row.found := v_row.found || jsonb_build_object('excerpts', braid_store.match_excerpts(
      v_row.content, v_pattern, v_flags, v_flags is null, find_matches.excerpt_length));
    v_bytes := v_bytes + octet_length(v_row.found::text);
    if v_bytes > c_max_bytes and v_matches <> '{}' then
      v_stopped_by := 'bytes';
      v_after := (v_matches[cardinality(v_matches)] ->> 'chunk_id')::bigint;
      exit;
    end if;
    v_matches := v_matches || v_row.found;
    if clock_timestamp() - v_started > c_max_time and cardinality(v_matches) < cardinality(v_matched_ids) then
      v_stopped_by := 'time';
      v_after := (v_row.found ->> 'chunk_id')::bigint;
      exit;
    end if;
  end loop;
  return jsonb_build_object('matches', to_jsonb(v_matches), 'scanned_count', v_scanned_count,
    'stopped_by', v_stopped_by, 'next_after', case when v_stopped_by is not null then v_after end);
end
$$;

comment on function braid_calls.find_matches(text, jsonb, text, int, bigint, boolean, boolean, int) is
  'Do the work of braid.grep. The time is proportional to the number of chunks read. These are all chunks of the '
  'collection up to the last match returned, or the chunks that an index gives for the filter.';
