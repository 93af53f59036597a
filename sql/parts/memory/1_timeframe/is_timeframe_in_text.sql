create or replace function braid_store.is_timeframe_in_text(phrase text, next_word text)
returns boolean
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  v_words text[] := string_to_array(phrase, ' ');
  v_count int := cardinality(string_to_array(phrase, ' '));
  v_last text := v_words[v_count];
  v_before text := coalesce(v_words[v_count - 1], '');
begin
  return case
    -- "The last year of college" names no timeframe.
    when next_word = 'of' then false
    -- "Last minute" and "last second" seldom mean a time.
    when v_last in ('second', 'minute', 'day') then v_before not in ('last', 'this', 'current', 'next')
    when v_last = 'weekend' and v_before = 'the' then v_count > 2
    -- "May" and "march" have other meanings, too. They count as months only before a word that does not fit the other
    -- meaning.
    when v_last in ('may', 'march') then
      next_word = '' or next_word = any (
        '{about,and,as,at,concerning,did,from,how,regarding,than,was,were,what,when,where,which,who,why,with,
          without}'::text[])
      or next_word = any (case v_last when 'may' then '{by,for,on,to}'::text[]
        else '{he,i,it,our,she,the,they,we,you}' end)
    -- Seasons without a year are ambiguous as well; "in spring" often means a framework.
    when v_last in ('summer', 'autumn', 'winter', 'spring', 'fall') then
      v_before in ('last', 'this', 'previous', 'past', 'early', 'mid', 'late')
      or v_last in ('summer', 'autumn', 'winter')
         and (next_word = ''
           or next_word = any ('{about,and,as,at,did,from,how,regarding,was,were,what,when,where,which,who,why,
                                 with}'::text[]))
    -- An abbreviation is a month only next to a number.
    when v_last in ('jan', 'feb', 'mar', 'apr', 'jun', 'jul', 'aug', 'sep', 'sept', 'oct', 'nov', 'dec') then
      v_before collate "C" between '0' and ':' or v_before in ('early', 'mid', 'late')
    -- In "in 2000 lines" the number counts the next word and is no year.
    when v_last ~ E'^\\d{4}$' and v_before in ('in', 'since', 'before', 'after', 'until', 'till', 'from', 'to', 'and',
      'during',
                                             'throughout') then
      v_last between '1900' and '2099'
      and (next_word = '' or next_word = any (
        '{about,above,against,all,also,and,any,are,as,at,because,but,by,concerning,could,did,do,does,for,from,had,has,
          have,he,her,his,how,i,if,in,into,is,it,its,made,my,of,on,or,our,regarding,she,should,that,the,their,there,
          these,they,this,those,to,under,was,we,were,what,when,where,which,while,who,whose,why,will,with,without,would,
          you,your,discussed,said,talked}'
        ::text[]))
    else true
  end;
end
$$;

comment on function braid_store.is_timeframe_in_text(text, text) is
  'Tell whether a phrase that can name a timeframe names one before next_word. next_word is '''' at the end of a '
  'sentence or at a pause.';
