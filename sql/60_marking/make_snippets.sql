create or replace function braid_store.make_snippets(
  contents text[],
  lexemes text[],
  prefixes text[],
  text_config text,
  fold_diacritics boolean,
  start_tag text,
  stop_tag text,
  fragment_count int,
  fragment_words int,
  fragment_separator text
)
returns text[]
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set jit = off
as $$
declare
  v_snippets text[];
begin
  with words as materialized (
    select t.text_number, w.ordinal, w.word
    from unnest(make_snippets.contents) with ordinality as t (content, text_number)
    cross join lateral string_to_table(t.content collate "C", ' ') with ordinality as w (word, ordinal)
  ), vocabulary as materialized (
    select d.word, row_number() over ()::int as word_number from (select distinct w.word from words w) as d
  ), occurrences as materialized (
    -- From here a word, which may be very long, is its number.
    select w.text_number, w.ordinal, v.word_number
    from words w
    join vocabulary v on v.word = w.word
  ), marked as materialized (
    select m.*
    from braid_store.mark_words(array(select v.word from vocabulary v order by v.word_number), make_snippets.lexemes,
                                make_snippets.prefixes, make_snippets.text_config, make_snippets.fold_diacritics) m
  ), segments as materialized (
    select o.text_number, o.ordinal, m.segment_number,
      case when o.ordinal > 1 and m.segment_number = 1 then ' ' else '' end || m.before as before,
      m.segment, m.after, m.terms,
      -- What has no word stands before the next one.
      (count(*) filter (where m.is_step) over (partition by o.text_number order by o.ordinal, m.segment_number)
       + case when m.segment = '' then 1 else 0 end)::int as step
    from occurrences o
    join marked m on m.word_number = o.word_number
  ), matches as materialized (
    select d.text_number, d.step,
      greatest(lag(d.step) over (partition by d.text_number, d.term order by d.step) + 1,
               d.step - make_snippets.fragment_words + 1) as first_start
    from (select distinct s.text_number, s.step, unnest(s.terms) as term from segments s) as d
    where make_snippets.fragment_count is not null
  ), passages as (
    -- From each match on: how many matches, and where the last is.
    select distinct m.text_number, m.step as start, count(*) over later as match_count, last_value(m.step) over later as end
    from matches m
    window later as (
      partition by m.text_number order by m.step
      range between current row and (make_snippets.fragment_words - 1) following
    )
  ), changes as (
    -- A match adds a term to the passages that begin up to it and behind the term's match before it.
    select m.text_number, m.first_start as step, count(*) as change from matches m group by 1, 2
    union all
    select m.text_number, m.step + 1, -count(*) from matches m group by 1, 2
    union all
    select p.text_number, p.start, 0 from passages p
  ), term_counts as (
    select distinct c.text_number, c.step, sum(c.change) over (partition by c.text_number order by c.step) as term_count
    from changes c
  ), ranked as (
    select p.text_number,
      array_agg(p.start order by t.term_count desc, p.match_count desc, p.start) as starts,
      array_agg(p.end order by t.term_count desc, p.match_count desc, p.start) as ends
    from passages p
    join term_counts t on t.text_number = p.text_number and t.step = p.start
    group by p.text_number
  ), chosen as materialized (
    select s.text_number,
      case
        when make_snippets.fragment_count is null then '{(,)}'
        else braid_store.pick_passages(r.starts, r.ends, s.step_count, make_snippets.fragment_count,
                                       make_snippets.fragment_words)
      end as steps
    from (
      select e.text_number, max(e.step) filter (where e.segment <> '') as step_count from segments e group by 1
    ) as s
    left join ranked r on r.text_number = s.text_number
  ), shown as (
    select s.text_number, s.ordinal, s.segment_number, s.step, s.segment, s.after, s.terms,
      case
        when make_snippets.fragment_count is null or lag(s.step) over text >= s.step - 1 then s.before
        else regexp_replace(s.before, E'^.*[\\u0001-\\u0020\\u00a0\\u2000-\\u200b\\u3000]', '')
      end as before,
      lag(s.step) over text as previous_step,
      coalesce(s.before = '' and lag(s.after) over text = '' and lag(s.terms) over text is not null
               and lag(s.step) over text >= s.step - 1, false) as continues,
      coalesce(s.after = '' and lead(s.before) over text = '' and lead(s.terms) over text is not null
               and lead(s.step) over text <= s.step + 1, false) as is_continued
    from segments s
    join chosen c on c.text_number = s.text_number
    where s.step <@ c.steps
    window text as (partition by s.text_number order by s.ordinal, s.segment_number)
  ), rendered as (
    select s.text_number,
      string_agg(
        case when s.previous_step < s.step - 1 then make_snippets.fragment_separator else '' end
        || case
             when s.terms is null then braid_store.escape_html(s.before || s.segment || s.after)
             else braid_store.escape_html(s.before)
               || case when s.continues then '' else make_snippets.start_tag end
               || braid_store.escape_html(s.segment)
               || case when s.is_continued then '' else make_snippets.stop_tag end
               || braid_store.escape_html(s.after)
           end,
        '' order by s.ordinal, s.segment_number) as snippet
    from shown s
    group by s.text_number
  )
  select array_agg(coalesce(r.snippet, case when t.content is not null then '' end) order by t.text_number)
  into v_snippets
  from unnest(make_snippets.contents) with ordinality as t (content, text_number)
  left join rendered r on r.text_number = t.text_number;
  return coalesce(v_snippets, '{}');
end
$$;

comment on function braid_store.make_snippets(text[], text[], text[], text, boolean, text, text, int, int, text) is
  'A snippet of each text, escaped for HTML, with the words marked whose lexemes are among those given or begin with a '
  'prefix given: the fragment_count passages of fragment_words words that have the most of them, in the order of the text; '
  'with fragment_count null the whole text. In scripts without spaces a character counts as a word. The first passage of '
  'a text without a match is its beginning.';
