create or replace function braid_store.preset_findings(tenant_id int, tenant text, collection_id int)
returns table (severity text, code text, subject text, finding text, reason text, command text)
language sql
stable
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
set jit = off
-- These settings make the planner read the first rows by an index.
set enable_seqscan = off
set enable_bitmapscan = off
set enable_sort = off
as $$
  with read as (
    select k.token_count, k.speaker is not null as has_speaker,
           regexp_count(k.start, '[a-zA-Z0-9]_[a-zA-Z0-9]|[a-zA-Z0-9_][(]|[a-z][A-Z]|[{};=]')
             > 0.2 * (1 + regexp_count(k.start, '[ ' || chr(9) || chr(10) || ']+')) as is_code
    from (
      -- Some hundred letters tell what a chunk is, and cost little to read.
      select c.token_count, c.speaker, left(c.content, 400) collate "C" as start
      from braid_store.chunks c
      where c.tenant_id = preset_findings.tenant_id and c.collection_id = preset_findings.collection_id
      order by c.occurred_at
      limit 1000
    ) k
  ), counted as (
    select count(*) as all_count, avg(r.has_speaker::int) as spoken, avg(r.is_code::int) as coded,
           avg((r.token_count < 40)::int) as short
    from read r
  )
  select 'advice', 'preset_suggested', format('tenant %s, collection %s', preset_findings.tenant, c.name),
         format('Of its first 1,000 chunks %s.', s.what),
         'The collection has the ranking of prose, and another preset suits such texts better. Judged queries tell for '
         'sure: pgbraid tune.',
         format('select %s(%s, ''{"preset": "%s"}'', reason => %L);', 'braid.set_ranking',
                braid_calls.line_literal(c.name), s.preset, s.what)
  from braid_store.collections c, counted n,
       lateral (
         select v.preset, format('%s %% %s', round(100 * v.share), v.what) as what
         from (values (1, 'conversation', n.spoken, 0.5, 'have a speaker'),
                      (2, 'code', n.coded, 0.5, 'are source code'),
                      (3, 'code', n.short, 0.9, 'have fewer than 40 tokens')) v (place, preset, share, least, what)
         where v.share >= v.least
         order by v.place
         limit 1
       ) s
  where c.id = preset_findings.collection_id and n.all_count = 1000
    and (c.fusion, c.full_text_weight, c.semantic_weight, c.smoothing)
        = ('convex', 0.6::float8, 0.4::float8, 0.5::float8)
    and (c.neighbour_weight, c.document_weight, c.question_penalty, c.speaker_weight)
        = (0::float8, 0::float8, 0::float8, 0::float8);
$$;

comment on function braid_store.preset_findings(int, text, int) is
  'Suggest a preset, as a row of braid.health, for a collection that has the ranking of prose. It reads the beginnings '
  'of 1,000 chunks of the tenant, and finds nothing if there are fewer.';
