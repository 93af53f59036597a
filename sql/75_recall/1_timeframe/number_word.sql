create or replace function braid_store.number_word(word text)
returns int
language sql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  select case
           when number_word.word ~ E'^\\d{1,6}$' then number_word.word::int
           when number_word.word in ('a', 'an') then 1
           when number_word.word in ('a couple', 'a couple of', 'couple', 'couple of') then 2
           when number_word.word in ('few', 'a few') then 3
           else array_position(
             '{one,two,three,four,five,six,seven,eight,nine,ten,eleven,twelve,thirteen,fourteen,fifteen,sixteen,seventeen,
               eighteen,nineteen,twenty}'::text[], number_word.word)
         end;
$$;

comment on function braid_store.number_word(text) is
  'Returns the number that a word stands for; null if it is none. "A couple" is 2, "a few" is 3.';
