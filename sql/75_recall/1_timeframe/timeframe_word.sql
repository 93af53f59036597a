create or replace function braid_store.timeframe_word(word text, out can_start boolean, out can_end boolean)
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
begin
  case
    when word = any (
      '{of,to,and,or,about,around,some,than}'::text[]) then
      can_start := word in ('about', 'around', 'some');
      can_end := false;
    when word = any (
      '{the,a,an,in,on,at,during,since,before,after,until,till,from,between,over,within,throughout,through,for,up,last,past,previous,
        this,current,next,coming,earlier,more,less,longer,few,couple,one,two,three,four,five,six,seven,eight,nine,ten,eleven,twelve,
        thirteen,fourteen,fifteen,sixteen,seventeen,eighteen,nineteen,twenty}'::text[]) then
      can_start := true;
      can_end := word = 'on';
    when word in ('today', 'yesterday', 'tomorrow', 'tonight') then
      can_start := true;
      can_end := true;
    -- Abbreviated weekdays are left out, because they have other meanings (sun, sat).
    when word = any (
      '{ago,onward,onwards,first,third,fourth,second,seconds,minute,minutes,hour,hours,day,days,night,morning,afternoon,evening,week,
        weeks,weekend,weekends,month,months,quarter,quarters,year,years,monday,tuesday,wednesday,thursday,friday,saturday,sunday,
        january,february,march,april,may,june,july,august,september,october,november,december,jan,feb,mar,apr,jun,jul,aug,sep,sept,
        oct,nov,dec,q1,q2,q3,q4}'::text[]) then
      can_start := false;
      can_end := true;
    when word between '0' and ':'
         and word ~ (E'^(?:\\d{1,6}|\\d{1,2}(?:st|nd|rd|th)|\\d{4}-?q[1-4]|\\d{4}-?w\\d\\d(?:-[1-7])?|\\d{4}-\\d\\d(?:-\\d\\d)?'
                     '(?:t\\d\\d:\\d\\d(?::\\d\\d)?(?:z|[+-]\\d\\d:\\d\\d)?)?)$') then
      can_start := word ~ E'^\\d{1,6}$';
      can_end := true;
    else
      null; -- no such word
  end case;
end
$$;

comment on function braid_store.timeframe_word(text) is
  'Tells whether a word can begin or end a timeframe inside a query text. Both null if it cannot even be part of one. '
  'word is in lower case.';
