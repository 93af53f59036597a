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
  -- The text before a passage up to its last space, which is cut off. Only the characters directly before the word
  -- stay.
  c_up_to_space constant text := E'^.*[\\u0001-\\u0020\\u00a0\\u2000-\\u200b\\u3000]';
  v_snippets text[];
begin
  -- A word is the text between two spaces. braid_store.mark_words cuts it into segments, and each segment is shown and
  -- marked as a whole. The length of a passage is counted in steps: each segment that counts as a word is a step.
  with words as materialized (
    select t.text_number, w.ordinal, w.word
    from unnest(make_snippets.contents) with ordinality as t (content, text_number)
    cross join lateral string_to_table(t.content collate "C", ' ') with ordinality as w (word, ordinal)
  ), vocabulary as materialized (
    select d.word, row_number() over ()::int as word_number from (select distinct w.word from words w) as d
  ), occurrences as materialized (
    -- A word may be very long, so from here on its number stands for it.
    select w.text_number, w.ordinal, v.word_number
    from words w
    join vocabulary v on v.word = w.word
  ), marked as materialized (
    select m.*
    from braid_store.mark_words(array(select v.word from vocabulary v order by v.word_number), make_snippets.lexemes,
                                make_snippets.prefixes, make_snippets.text_config, make_snippets.fold_diacritics) m
  ), segments as materialized (
    select o.text_number, o.ordinal, m.piece_number, m.segment_number,
      case when o.ordinal > 1 and m.piece_number = 1 and m.segment_number = 1 then ' ' else '' end
        || m.before as before,
      m.segment, m.after, m.terms,
      -- Text without a word belongs to the step of the next segment.
      (count(*) filter (where m.is_step)
         over (partition by o.text_number order by o.ordinal, m.piece_number, m.segment_number)
       + case when m.segment = '' then 1 else 0 end)::int as step
    from occurrences o
    join marked m on m.word_number = o.word_number
  ), matches as materialized (
    select distinct s.text_number, s.step, unnest(s.terms) as term
    from segments s
    where make_snippets.fragment_count is not null
  ), ranked as (
    select p.*
    from braid_store.rank_passages(array(select m.text_number::int from matches m order by m.text_number, m.step,
      m.term),
                                   array(select m.step from matches m order by m.text_number, m.step, m.term),
                                   array(select m.term from matches m order by m.text_number, m.step, m.term),
                                   make_snippets.fragment_words) p
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
    -- Two marked segments with nothing between them share one pair of tags.
    select s.text_number, s.ordinal, s.piece_number, s.segment_number, s.step, s.segment, s.after, s.terms,
      case
        when make_snippets.fragment_count is null or lag(s.step) over in_text >= s.step - 1 then s.before
        else regexp_replace(s.before, c_up_to_space, '')
      end as before,
      lag(s.step) over in_text as previous_step,
      coalesce(s.before = '' and lag(s.after) over in_text = '' and lag(s.terms) over in_text is not null
               and lag(s.step) over in_text >= s.step - 1, false) as continues,
      coalesce(s.after = '' and lead(s.before) over in_text = '' and lead(s.terms) over in_text is not null
               and lead(s.step) over in_text <= s.step + 1, false) as is_continued
    from segments s
    join chosen c on c.text_number = s.text_number
    where s.step <@ c.steps
    window in_text as (partition by s.text_number order by s.ordinal, s.piece_number, s.segment_number)
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
        '' order by s.ordinal, s.piece_number, s.segment_number) as snippet
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
  'Make a snippet of each text: the passages that match best, escaped for HTML, with the matching words between '
  'start_tag and stop_tag. A word matches if one of its lexemes is among lexemes or begins with one of prefixes. A '
  'snippet has at most fragment_count passages of fragment_words words. The passages with the most matches are '
  'chosen, and stand in the order of the text, with fragment_separator between them. With fragment_count null the '
  'snippet is the whole text. In scripts without spaces a character counts as a word. If nothing matches, the '
  'snippet is the beginning of the text.';
