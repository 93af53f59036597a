create or replace function braid_store.tenant_findings(
  tenant_id int,
  tenant text,
  older_than interval,
  deadline timestamptz,
  shows_messages boolean default true
)
returns table (severity text, code text, subject text, finding text, reason text, command text)
language plpgsql
stable
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
set jit = off
-- These settings make the planner read rows in the order of the primary key, so that reading stops at the limit.
set enable_seqscan = off
set enable_bitmapscan = off
set enable_sort = off
as $$
#variable_conflict use_column
declare
  c_jobs constant int := 10000;
  v_part record;
  v_retry text;
  v_jobs record;
  v_oldest timestamptz;
  v_limit int;
  v_scanned int;
  v_moving record;
begin
  for v_part in
    select distinct c.id, c.name
    from braid_store.due_parts d
    join braid_store.collections c on c.id = d.collection_id
    where d.tenant_id = tenant_findings.tenant_id and d.task = 'rebuild_index'
    order by c.id
  loop
    severity := 'problem';
    code := 'index_outdated';
    subject := format('tenant %s, collection %s', tenant_findings.tenant, v_part.name);
    finding := 'Some of its words were indexed by an earlier version''s rules for tokens.';
    reason := 'This version splits queries into tokens differently (letters of Arabic, Hebrew and Indic scripts, '
              'and apostrophes), so they may not find these words. Maintenance reindexes up to 1,000 chunks; for a '
              'larger part, writers would wait too long.';
    command := format(E'set braid.tenant = %s;\nselect %s(%s);', braid_calls.line_literal(tenant_findings.tenant),
                      'braid.rebuild_index', braid_calls.line_literal(v_part.name));
    return next;
  end loop;

  for v_part in
    select c.id as collection_id, c.name, c.chunk_tokens, w.vector_space_id,
      w.vector_space_id = c.vector_space_id as is_own,
           s.embedding_model, s.dimensions, s.distance, c.text_config, e.is_paused, e.since
    from braid_store.collections c
    cross join lateral braid_store.written_spaces(c) w
    join braid_store.vector_spaces s on s.id = w.vector_space_id
    left join lateral braid_store.extend_spaces(c.id) e on e.vector_space_id = w.vector_space_id
    order by c.id
  loop
    exit when clock_timestamp() > tenant_findings.deadline;
    v_retry := format(E'set braid.tenant = %s;\nselect %s(collection => %s, embedding_model => %s);',
                      braid_calls.line_literal(tenant_findings.tenant), 'braid.retry_embedding_jobs',
                      braid_calls.line_literal(v_part.name), braid_calls.line_literal(v_part.embedding_model));
    subject := format('tenant %s, collection %s', tenant_findings.tenant, v_part.name);
    select count(*) as all_count, count(*) filter (where j.is_abandoned) as abandoned_count,
           count(*) filter (where j.last_error is not null and not j.is_abandoned) as failing_count,
           min(j.chunk_id) filter (where not j.is_abandoned) as oldest_id, 
           max(left(j.last_error, 200)) filter (where tenant_findings.shows_messages) as last_error
    into v_jobs
    from (
      select j.chunk_id, j.last_error, coalesce(j.claimed_until = 'infinity', false) as is_abandoned
      from braid_store.embedding_jobs j
      where j.tenant_id = tenant_findings.tenant_id and j.collection_id = v_part.collection_id
        and j.vector_space_id = v_part.vector_space_id
      order by j.chunk_id
      limit c_jobs
    ) j;
    if v_jobs.abandoned_count > 0 then
      severity := 'problem';
      code := 'embeddings_abandoned';
      finding := concat_ws(': ', format('%s chunks were given up', v_jobs.abandoned_count), v_jobs.last_error);
      reason := 'No worker tries these chunks again, so only full-text search finds them.';
      command := v_retry;
      return next;
    end if;
    if v_jobs.failing_count > 0 then
      severity := 'advice';
      code := 'embeddings_failing';
      finding := concat_ws(': ', format('%s chunks failed and are tried again', v_jobs.failing_count),
        v_jobs.last_error);
      reason := 'Only full-text search finds these chunks until they have an embedding. The message tells why the '
                'embedding service refused them.';
      command := v_retry;
      return next;
    end if;
    if v_jobs.oldest_id is not null and v_part.is_paused is not true then
      v_oldest := greatest(
        (select c.created_at from braid_store.chunks c
         where c.tenant_id = tenant_findings.tenant_id and c.id = v_jobs.oldest_id),
        v_part.since);
      if v_oldest < now() - tenant_findings.older_than then
        severity := 'problem';
        code := 'embeddings_waiting';
        finding := format('%s chunks wait for their embedding, the first since %s.',
                          case when v_jobs.all_count = c_jobs then format('At least %s', c_jobs)
                               else (v_jobs.all_count - v_jobs.abandoned_count)::text end,
                          date_trunc('second', v_oldest));
        reason := 'Only full-text search finds these chunks. No worker is running, or none for this model.';
        command := 'pgbraid work --once'
                   || case when v_part.embedding_model ~ '(^|/)all-MiniLM-L6-v2$' then ''
                           else ' --embedding-api API --embedding-model '
                                || braid_store.shell_literal(v_part.embedding_model) end;
        return next;
      end if;
    end if;

    continue when not v_part.is_own;
    v_limit := braid_store.exact_limit(v_part.dimensions);
    v_scanned := (
      select count(*)
      from (
        select from braid_store.chunk_vectors v
        where v.tenant_id = tenant_findings.tenant_id and v.collection_id = v_part.collection_id
          and v.vector_space_id = v_part.vector_space_id
        limit v_limit + 1
      ) v);
    if v_scanned > v_limit then
      select s.created_at, s.vector_count, s.seconds_needed into v_moving
      from braid_store.vector_shards s
      where s.tenant_id = tenant_findings.tenant_id and s.collection_id = v_part.collection_id
        and s.vector_space_id = v_part.vector_space_id and s.state in ('copying', 'indexing');
      severity := case when v_moving.seconds_needed is not null
                            or v_moving.created_at < now() - tenant_findings.older_than
                            or exists (
                         select from braid_store.due_parts d
                         where d.tenant_id = tenant_findings.tenant_id and d.collection_id = v_part.collection_id
                           and d.due_at < now() - tenant_findings.older_than)
                       then 'problem' else 'advice' end;
      code := 'vectors_not_indexed';
      finding := case when v_moving.seconds_needed is not null
                      then format('Building the index of %s vectors takes about %s seconds, longer than any call of '
                                  'maintain() had.',
                                  v_moving.vector_count, v_moving.seconds_needed)
                      else format('More than %s vectors are in no vector index.', v_limit) end;
      reason := 'Each semantic search scans all of these vectors. Maintenance builds the index; in SQL, call '
                'run_maintenance() without a time_budget, which builds it however long that takes.';
      command := format('pgbraid maintain --seconds %s', greatest(3600, 2 * v_moving.seconds_needed));
      return next;
    end if;
    if braid_store.model_window(v_part.embedding_model) < v_part.chunk_tokens then
      severity := 'advice';
      code := 'chunks_exceed_window';
      subject := format('collection %s', v_part.name);
      finding := format('Chunks may have %s tokens, but %s reads only %s.', v_part.chunk_tokens, v_part.embedding_model,
                        braid_store.model_window(v_part.embedding_model));
      reason := 'The model ignores the rest of a longer chunk, so that semantic search does not find it, or the '
                'embedding service refuses the chunk. chunk_tokens cannot change: write the documents into another '
                'collection, and drop this one.';
      command := format('select %s(%s, text_config => %L, dimensions => %s, distance => %L, embedding_model => %s, '
                        'chunk_tokens => %s);', 'braid.create_collection',
                        braid_calls.line_literal(left(v_part.name, 200) || '_short'), v_part.text_config,
                          v_part.dimensions,
                        v_part.distance, braid_calls.line_literal(v_part.embedding_model),
                        greatest(16, braid_store.model_window(v_part.embedding_model) * 15 / 16));
      return next;
    end if;
    return query
    select f.*
    from braid_store.preset_findings(tenant_findings.tenant_id, tenant_findings.tenant, v_part.collection_id) f;
  end loop;

  return query
  select 'problem', 'rows_in_future', format('tenant %s', tenant_findings.tenant),
         format('The newest chunk was written at %s, and it is %s now.', c.created_at, date_trunc('second', now())),
         'The clock was ahead when the chunk was written, or has been set back since. Times that count from now, '
         'such as recency boosts and pauses of workers, are wrong. Correct the clock (by NTP) before you correct '
         'the rows.',
         (select string_agg(format('update %s set %s where tenant_id = %s and %s > now();', t.name, t.assignment,
                                   tenant_findings.tenant_id, t.latest), E'\n' order by t.name)
          from (values
            ('braid_store.chunks', 'created_at = now()', 'created_at'),
            ('braid_store.documents', 'created_at = least(created_at, now()), updated_at = least(updated_at, now())',
             'greatest(created_at, updated_at)')) t (name, assignment, latest))
  from (
    select c.created_at from braid_store.chunks c
    where c.tenant_id = tenant_findings.tenant_id
    order by c.id desc
    limit 1
  ) c
  where c.created_at > now() + interval '1 minute';
end
$$;

comment on function braid_store.tenant_findings(int, text, interval, timestamptz, boolean) is
  'Find what is wrong with what a tenant has stored, as rows of braid.health. It reads at most 10,000 rows of each '
  'outbox, and begins with no further collection after the deadline. shows_messages: whether to show errors of '
  'services, which may quote texts.';
