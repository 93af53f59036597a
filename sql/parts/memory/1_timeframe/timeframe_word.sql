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
      '{of,to,and,or,about,around,some,than,half,-,–,—,mon,tue,tues,wed,thu,thur,thurs,fri,sat,sun}'::text[]) then
      can_start := word in ('about', 'around', 'some');
      can_end := false;
    when word = any (
      '{the,a,an,in,on,at,during,since,before,after,until,till,from,between,over,within,throughout,through,for,up,last,
        past,previous,this,current,next,coming,earlier,more,less,longer,few,couple,one,two,three,four,five,six,seven,
        eight,nine,ten,eleven,twelve,thirteen,fourteen,fifteen,sixteen,seventeen,eighteen,nineteen,twenty,early,mid,
        late,beginning,start,middle,end}'::text[]) then
      can_start := true;
      can_end := word = 'on';
    when word in ('today', 'yesterday', 'tomorrow', 'tonight') then
      can_start := true;
      can_end := true;
    -- Abbreviated weekdays (above) cannot begin or end a timeframe, because they have other meanings (sun, sat).
    when word = any (
      '{ago,onward,onwards,first,third,fourth,second,seconds,minute,minutes,hour,hours,day,days,night,morning,
        afternoon,evening,week,weeks,weekend,weekends,month,months,quarter,quarters,year,years,monday,tuesday,
        wednesday,thursday,friday,saturday,sunday,january,february,march,april,may,june,july,august,september,october,
        november,december,jan,feb,mar,apr,jun,jul,aug,sep,sept,oct,nov,dec,q1,q2,q3,q4,h1,h2,spring,summer,autumn,fall,
        winter}'::text[]) then
      can_start := false;
      can_end := true;
    when word ~ E'^(?:mid|early|late)-(?:[0-9]{4}|spring|summer|autumn|fall|winter|jan|feb|mar|apr|may'
                  '|jun|jul|aug|sep|oct|nov|dec|january|february|march|april|june|july|august|september|october'
                  '|november|december)$' then
      can_start := true;
      can_end := true;
    -- Accept '25, jan-mar, march-2025 and q1/2025.
    when word ~ E'^(?:[''’][0-9]{2}|[a-z]{3,9}[-–—](?:[a-z]{3,9}|[0-9]{4})|[qh][1-4](?:[/-][0-9]{4}|[''’][0-9]{2}))$'
         and (word !~ '^[a-z]{3}' or split_part(translate(word, '–—', '--'), '-', 1) = any (
           '{january,february,march,april,may,june,july,august,september,october,november,december,jan,feb,mar,apr,jun,
             jul,aug,sep,sept,oct,nov,dec}'::text[])) then
      can_start := false;
      can_end := true;
    when word collate "C" between '0' and ':' and (braid_store.numeric_date(word, null)).is_date
         or word ~ E'^(?:[0-9]{1,2}(?:st|nd|rd|th)?[-–—][0-9]{1,2}(?:st|nd|rd|th)?|[0-9]{4}[-–—][0-9]{4}'
                   '|[0-9]{4}/(?:[0-9]{2}){1,2}|[0-9]{3}0s|[0-9]{1,2}-[a-z]{3,9}-[0-9]{4})$' then
      can_start := false;
      can_end := true;
    when word collate "C" between '0' and ':'
         and word ~ (E'^(?:\\d{1,6}|\\d{1,2}(?:st|nd|rd|th)|\\d{4}-?q[1-4]|\\d{4}-?w\\d\\d(?:-[1-7])?'
                     '|\\d{4}-\\d\\d(?:-\\d\\d)?(?:t\\d\\d:\\d\\d(?::\\d\\d)?(?:z|[+-]\\d\\d:\\d\\d)?)?)$') then
      can_start := word ~ E'^\\d{1,6}$';
      can_end := true;
    else
      null; -- the word cannot be part of a timeframe
  end case;
end
$$;

comment on function braid_store.timeframe_word(text) is
  'Tell whether a word can begin or end a timeframe inside a query text. Return nulls if it cannot even be part of '
  'one. word is in lower case.';
