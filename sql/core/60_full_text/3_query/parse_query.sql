create or replace function braid_store.parse_query(query_text text, text_config text)
returns table (
  clause_number int,
  group_number int,
  occurrence text,
  kind text,
  content text,
  plain_sign text
)
language plpgsql
stable
parallel safe
security invoker
rows 1000
set search_path = pg_catalog, pg_temp
as $$
declare
  c_spaces constant text := braid_store.white_space();
  c_quotes constant text := braid_store.quotation_marks();
  -- This matches a character that is not punctuation (ASCII, Latin-1, general, CJK, full-width). Text without a match
  -- is no clause.
  c_word constant text :=
    E'[^\\u0001-\\u002f\\u003a-\\u0040\\u005b-\\u0060\\u007b-\\u00a9\\u00ab-\\u00b1\\u00b4\\u00b6-\\u00b8\\u00bb'
    '\\u00bf\\u2010-\\u205e\\u3001-\\u3003\\u3008-\\u301f\\uff01-\\uff0f\\uff1a-\\uff20\\uff3b-\\uff40\\uff5b-\\uff65]';
  -- Command-line options look like this: signs before a letter, or before one to four letters and digits.
  c_letter constant text :=
    E'^[A-Za-z\\u00aa\\u00b5\\u00ba\\u00c0-\\u065f\\u066e-\\u06ef\\u06fa-\\u0965\\u0970-\\u0dff\\u1e00-\\u1fff]'
    '[\\u0300-\\u036f]?[.,;:!?)]*$';
  c_option constant text := '^[A-Za-z0-9]{1,4}[.,;:!?)]*$';
  c_path constant text := E'^[''`]?(?:[.~]{0,2}/|\\*\\.[A-Za-z]|~$)';
  c_file constant text := E'^[A-Za-z0-9_-]+(?:\\.[A-Za-z0-9_-]+)*\\.[a-z][a-z0-9]{0,4}$';
  -- Programs whose names are also common words are left out: "ruby -gem" and "python -snake" keep their meaning.
  c_program constant text :=
    '^(?:apt-get|chmod|chown|clang|cp|curl|docker|egrep|ffmpeg|g[+][+]|gcc|git|grep|gzip|ifconfig|iptables|javac|'
    'journalctl|kubectl|ln|ls|lsof|mkdir|mv|netstat|nohup|npm|npx|openssl|'
    'pg_basebackup|pg_ctl|pg_dump|pg_restore|pgbraid|pip|pip3|'
    'podman|ps|psql|rm|rmdir|rsync|scp|ssh|sudo|svn|systemctl|tar|tcpdump|umount|unzip|wget|xargs|yum)$';
  v_query text := translate(parse_query.query_text, c_quotes || c_spaces,
                            repeat('"', length(c_quotes)) || repeat(' ', length(c_spaces)));
  v_last text := right(rtrim(v_query, '" '), 1);
  v_prose_words int := case when v_last in ('?', '？') then 1 else 5 end;
  v_has_end boolean := v_last in ('.', '?', '!', '。', '？', '！');
begin
  if v_query !~ '[-+*"]|OR' then
    -- Most queries consist of plain words.
    return query
    select w.number, w.number, 'should', 'word', w.word, null::text
    from (
      select row_number() over (order by t.place)::int as number, t.word
      from string_to_table(v_query collate "C", ' ') with ordinality t (word, place)
      where t.word ~ c_word
    ) w
    order by w.number;
    return;
  end if;
  if length(translate(v_query, '"', '')) % 2 <> length(v_query) % 2 then
    -- The last quotation mark has no partner. A curly quotation mark replaces it, as v_query has no others, and is
    -- dropped below.
    v_query := overlay(v_query placing '”' from length(v_query) - strpos(reverse(v_query), '"') + 1);
  end if;

  return query
  with matched as (
    select m.item_number, m.signs, m.is_phrase, m.content, lag(m.content) over w as before,
      lead(m.content) over w as after,
           coalesce(lead(m.signs) over w = '' and not lead(m.is_phrase) over w and lead(m.content) over w <> 'OR'
                    and lead(m.content) over w ~ c_word, false) as is_before_word,
           coalesce(bool_or(not m.is_phrase
             and lower(m.content collate "C") ~ c_program) over (w rows unbounded preceding),
                    false) as follows_program
    from (
      -- The pattern matches signs, then a phrase or a word. Several signs together, as in --verbose, are no operator.
      select m.item_number, m.matched[1] as signs, m.matched[2] is not null as is_phrase,
             btrim(translate(coalesce(m.matched[2], m.matched[3]), '”', ' ')) as content
      from regexp_matches(v_query collate "C", '([+-]*)(?:"([^"]*)"|([^" ]+))', 'g') with ordinality m (matched,
        item_number)
    ) m
    window w as (order by m.item_number)
  ), items as (
    select m.*, case when m.is_phrase then 'phrase' when m.content like '%*' then 'prefix' else 'word' end as kind,
           case when m.signs = '-' and not m.is_phrase then braid_store.token_lower(btrim(m.content, '.,;:!?()[]{}'))
             end as word
    from matched m
    where m.content ~ c_word
  ), stop_words as (
    select s.word
    from braid_store.token_stem(array(select distinct i.word from items i where length(i.word) <= 255),
      parse_query.text_config) s
    where s.is_stop_word
  ), signed as (
    -- The query is certainly a command if it has an option of several signs, an option with a value, or an option
    -- before a path.
    select i.*, i.signs in ('+', '-') and i.kind = 'word' as is_word_with_sign,
           bool_or(i.signs = '--' and i.kind = 'word' or i.signs = '-' and i.kind = 'word' and (
                     i.content ~ '^[A-Za-z][A-Za-z0-9_.-]*=' or i.after ~ c_path)) over () as is_command,
           -- The query may be a command. Then only words that look like options are read as options.
           i.follows_program or i.after ~ c_file or i.before ~ c_path or i.before in ('.', '..')
           or bool_or(i.signs = '-' and i.kind = 'word' and i.content ~ c_letter) over () as may_be_command
    from items i
  ), read as (
    select s.item_number, s.content, s.kind,
           case when s.is_plain then 'should'
                when s.signs = '-' then 'must_not'
                when s.signs = '+' or s.is_phrase and not (s.is_command or s.is_after_option) then 'must'
                when s.signs = '' and s.content = 'OR' then 'or'
                else 'should' end as occurrence,
           s.signs in ('+', '-') and not s.is_plain as is_signed,
           case when s.is_word_with_sign then s.signs || s.content end as signed_word
    from (
      select s.*, coalesce(bool_or(s.is_plain and s.follows_program) over (), false) as is_after_option
      from (
        select s.*, s.is_word_with_sign and coalesce(
                 s.is_command or s.may_be_command and s.content ~ c_option
                 or s.signs = '-' and (s.content ~ c_letter or s.word in (select w.word from stop_words w)
                                       or s.content ~ '^[0-9]' and (s.is_before_word or s.content ~ '[°%‰€£¥]')),
                                         false) as is_plain
        from signed s
      ) s
    ) s
  ), counted as (
    select r.*, count(*) filter (where r.kind = 'word' and r.occurrence = 'should') over () as plain_count from read r
  ), understood as (
    -- In prose, quotations and signs demand nothing. Questions quote titles and words that the text spells differently,
    -- +1 and -2 are numbers, and a dash may lack its space. Prose has no other operator.
    select c.item_number, c.content, c.kind, c.signed_word,
           case when c.occurrence <> 'should'
                  and c.plain_count >= v_prose_words
                  and bool_and(case
                        when not c.is_signed then c.kind <> 'prefix' and c.occurrence <> 'or'
                        else c.kind = 'word' and (c.content ~ '^[0-9]'
                                                  or c.occurrence = 'must_not' and v_has_end
                                                    and c.plain_count >= 5) end)
                        over ()
                then 'should' else c.occurrence end as occurrence
    from counted c
  ), clauses as (
    select p.*,
           p.follows_or and p.occurrence <> 'must_not'
           and lag(p.occurrence) over (order by p.item_number) <> 'must_not' as is_alternative
    from (
      select i.*, coalesce(lag(i.occurrence) over (order by i.item_number) = 'or', false) as follows_or
        from understood i
    ) p
    where p.occurrence <> 'or'
  ), grouped as (
    select c.*, count(*) filter (where c.is_alternative is not true) over (order by c.item_number)::int as group_number
    from clauses c
  )
  select row_number() over (order by g.item_number)::int, g.group_number,
         case when bool_or(g.occurrence = 'must') over (partition by g.group_number) then 'must' else g.occurrence end,
         g.kind, case when g.kind = 'prefix' then rtrim(g.content, '* ') else g.content end,
         case when g.occurrence = 'should' then g.signed_word end
  from grouped g
  order by g.item_number;
end
$$;

comment on function braid_store.parse_query(text, text) is
  E'Split a query text into its clauses, in order. Every text is valid.\n'
  'word: the query ranks by it (occurrence should). +word: it must be present (must). -word: it must be absent '
  '(must_not). Numbers (-5) follow the same rules. A hyphen inside a word, a sign alone and several signs '
  '(--verbose) are not operators. In prose a sign before a number is text. A - before a word is text, too, if the '
  'prose has five plain words and ends like a sentence.\n'
  'A - is also text before a letter of an alphabet, a stop word of text_config, or a number that a word follows. In '
  'a query with --word, with -name=value or with an option before a path, all signs before words are text. If a '
  'query has an option of one letter, the name of a program, or a file beside the option, signs are text before at '
  'most four letters and digits. plain_sign is the word with its sign if the sign was read as text. In a command a '
  'phrase has occurrence should.\n'
  '"exact phrase", in straight or curly quotation marks, is a must, and after - a must_not. In prose it is a should. '
  'A query is prose if it has no other operators and at least five plain words outside quotation marks. One such '
  'word is enough if a question mark ends the query. A phrase after + is always a must. Quotation marks pair from '
  'left to right. A last quotation mark without a partner is dropped, and an asterisk between quotation marks is an '
  'ordinary character.\n'
  'data* is a prefix: the asterisk must end the word.\n'
  'a OR b are alternatives. They have one group_number, and are a must if one of them is a must. OR must be in '
  'capitals, between clauses that are not must_not; elsewhere it is ignored.\n'
  'Text without a letter or digit is not a clause.';
