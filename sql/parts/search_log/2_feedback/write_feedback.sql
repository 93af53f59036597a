-- role: reader
create or replace function braid_calls.write_feedback(search_id text, external_id text, kind text, value float8)
returns boolean
language plpgsql
volatile
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  c_most_rows constant int := 1000;
  v_tenant_id int := braid_store.tenant_id_of_user();
  v_search_id uuid;
  v_epoch float8;
  v_search record;
  v_rank int;
  v_value float8 := write_feedback.value;
begin
  if not coalesce(pg_input_is_valid(write_feedback.search_id, 'uuid'), false) then
    raise exception 'search_id is %', coalesce('''' || left(write_feedback.search_id, 100) || '''', 'null')
      using errcode = '22023', hint = 'Give the search_id that is in the stats of braid.logged_search.';
  elsif (octet_length(write_feedback.external_id) between 1 and 1024) is not true then
    raise exception 'external_id is %', coalesce('''' || left(write_feedback.external_id, 100) || '''', 'null')
      using errcode = '22023', hint = 'Give the external_id of one of the search''s results.';
  end if;
  case write_feedback.kind
    when 'click', 'used_in_answer' then
      v_value := coalesce(v_value, 1);
      if v_value <> 1 then
        raise exception 'value is %, and kind ''%'' takes none', v_value, write_feedback.kind
          using errcode = '22023', hint = 'Leave value out, or use kind rating for how good a result is.';
      end if;
    when 'dwell' then
      if (v_value between 0 and 86400) is not true then
        raise exception 'value is % for kind ''dwell''', coalesce(v_value::text, 'null')
          using errcode = '22023', hint = 'Give the seconds that the result was looked at, 0 to 86400.';
      end if;
    when 'rating' then
      if (v_value between -10 and 10) is not true then
        raise exception 'value is % for kind ''rating''', coalesce(v_value::text, 'null')
          using errcode = '22023', hint = 'Give a number from -10 to 10.';
      end if;
    else
      raise exception 'kind is %', coalesce('''' || left(write_feedback.kind, 100) || '''', 'null')
        using errcode = '22023', hint = 'Use click, dwell, rating or used_in_answer.';
  end case;

  v_search_id := write_feedback.search_id::uuid;
  -- The id begins with the time of the search, in whole milliseconds.
  v_epoch := ('x' || left(replace(v_search_id::text, '-', ''), 12))::bit(48)::bigint / 1000.0;
  -- With the time as a constant in the statement, the planner skips the tables of other days.
  execute format(
    'select l.collection_id, l.external_ids, l.result_count from braid_store.search_log l '
    'where l.tenant_id = $1 and l.search_id = $2 and l.searched_at >= to_timestamp(%s) and l.searched_at < '
      'to_timestamp(%s)',
    v_epoch - 0.001, v_epoch + 0.002)
  into v_search
  using v_tenant_id, v_search_id;
  if v_search.collection_id is null then
    raise exception 'search "%" is not in the log', v_search_id
      using errcode = '42704',
            hint = 'Check the tenant and the age of the search: the log keeps a tenant''s searches for the '
                   'retention that braid.set_search_log sets.';
  end if;
  v_rank := array_position(v_search.external_ids, write_feedback.external_id);
  if v_rank is null and v_search.result_count <= cardinality(v_search.external_ids) then
    raise exception 'document "%" is not among the results of search "%"', left(write_feedback.external_id, 100),
      v_search_id
      using errcode = '22023', hint = 'Give the external_id of one of its results.';
  end if;
  if v_rank is null
     and (select count(*) from braid_store.search_feedback f
          where f.tenant_id = v_tenant_id and f.search_id = v_search_id) >= c_most_rows then
    raise exception 'search "%" has % rows of feedback', v_search_id, c_most_rows
      using errcode = '54000', hint = 'Search again, and give feedback on that search.';
  end if;

  insert into braid_store.search_feedback as f
    (tenant_id, search_id, external_id, kind, collection_id, value, rank, login, recorded_at)
  values (v_tenant_id, v_search_id, write_feedback.external_id, write_feedback.kind, v_search.collection_id, v_value,
    v_rank,
          session_user, clock_timestamp())
  on conflict on constraint search_feedback_pkey do update
  set value = excluded.value, login = excluded.login, recorded_at = excluded.recorded_at
  where case excluded.kind when 'dwell' then excluded.value > f.value else excluded.value <> f.value end;
  return found;
end
$$;

comment on function braid_calls.write_feedback(text, text, text, float8) is 'Do the work of braid.record_feedback.';
