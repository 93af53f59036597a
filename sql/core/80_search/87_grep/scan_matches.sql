create or replace function braid_store.scan_matches(
  tenant_id int,
  collection_id int,
  filter braid_store.filter,
  chunk_ids bigint[],
  pattern text,
  flags text,
  after bigint,
  chunk_count int,
  deadline timestamptz,
  out matched_ids bigint[],
  out scanned_count int,
  out last_id bigint,
  out is_complete boolean
)
language plpgsql
stable
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
set jit = off
-- These settings make the planner read chunks by the primary key, in its order.
set enable_seqscan = off
set enable_bitmapscan = off
set enable_sort = off
as $$
declare
  v_chunks text := case
    when scan_matches.chunk_ids is null then
      'select c.* from braid_store.chunks c where c.tenant_id = $1 and c.id > $3 order by c.id limit $4'
    else
      'select c.* from unnest($5) u (chunk_id), lateral (select * from braid_store.chunks c where c.tenant_id = $1 '
      'and c.id between u.chunk_id and u.chunk_id order by c.id offset 0) c'
    end;
begin
  execute format($query$
    select coalesce(array_agg(c.id) filter (where c.is_match), '{}'),
           count(*) filter (where c.is_asked and c.is_match is not null),
           max(c.id) filter (where c.is_match is not null), count(*) = count(c.is_match)
    from (
      select c.id, c.is_asked,
             -- Rows come in order, so each call gets on by one row at least, and no row is left out.
             case when c.place > 1 and clock_timestamp() > $8 then null
                  when c.is_asked then case when $6 = '' then true
                                            when $7 is null then strpos(c.content, $6) > 0
                                            else regexp_like(c.content, $6, $7) end
                  else false end as is_match
      from (
        select c.id, c.content, row_number() over () as place,
               case when c.collection_id = $2 then coalesce(%s, false) else false end as is_asked
        from (%s) c
        offset 0
      ) c
      offset 0
    ) c
    $query$, scan_matches.filter.predicate, v_chunks)
  into matched_ids, scanned_count, last_id, is_complete
  using scan_matches.tenant_id, scan_matches.collection_id, scan_matches.after, scan_matches.chunk_count,
        scan_matches.chunk_ids, scan_matches.pattern, scan_matches.flags, scan_matches.deadline;
end
$$;

comment on function braid_store.scan_matches(int, int, braid_store.filter, bigint[], text, text, bigint, int,
                                             timestamptz) is
  'Compare chunk_count chunks, in the order of their ids, with a pattern: the chunks after the chunk `after`, or '
  'chunk_ids in ascending order. matched_ids: the chunks that match and pass the filter, in ascending order. '
  'scanned_count: how many chunks passed the filter. last_id: the last chunk read; null if there was none. '
  'is_complete: false if the deadline came before the last chunk. flags: null if the pattern is a text and no regular '
  'expression.';
