create or replace function braid_store.spoken_turns(inputs braid_store.document_input[])
returns table (
  number int,
  speech_number int,
  ordinality int,
  speaker text,
  start numeric,
  "end" numeric,
  content text,
  size int
)
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  -- timestamptz has microseconds.
  c_decimals constant int := 6;
begin
  return query
  select s.number::int,
         (count(*) filter (where s.is_first) over (order by s.number))::int,
         s.ordinality, s.speaker, s.start, s."end", s.content, length(regexp_replace(s.content, E'\\s+', '', 'g'))
  from (
    select s.*, lag(s.number) over w is null or lag(s.speaker) over w is distinct from s.speaker as is_first
    from (
      select row_number() over (order by i.ordinality, g.ordinality) as number, i.ordinality,
             coalesce(nullif(btrim(regexp_replace(g.value ->> 'speaker', E'\\s+', ' ', 'g')), ''),
               i.speaker) as speaker,
             case when scale(t.start) > c_decimals then trim_scale(round(t.start, c_decimals)) else t.start
               end as start,
             case when scale(t."end") > c_decimals then trim_scale(round(t."end", c_decimals)) else t."end"
               end as "end",
             btrim(g.value ->> 'text', E' \t\n\r\f\x0B') as content
      from unnest(spoken_turns.inputs) i, jsonb_array_elements(i.turns) with ordinality g,
           lateral (
             select (g.value ->> 'start')::numeric as start, (g.value ->> 'end')::numeric as "end"
           ) t
      where g.value ->> 'text' ~ E'\\S'
    ) s
    window w as (partition by s.ordinality order by s.number)
  ) s
  order by s.number;
end
$$;

comment on function braid_store.spoken_turns(braid_store.document_input[]) is
  'Return the turns of documents that have text, in their order, each with the number of its speech: what one '
  'speaker says in a row. size: the number of its characters other than white space.';
