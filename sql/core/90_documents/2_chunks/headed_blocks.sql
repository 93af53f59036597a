create or replace function braid_store.headed_blocks(contents text[], formats text[])
returns table (text_number int, number bigint, block text)
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
begin
  return query
  select g.text_number, min(g.number)::bigint, string_agg(g.block, '' order by g.number)
  from (
    select b.*, count(*) filter (where b.is_first) over (order by b.text_number, b.number) as group_number
    from (
      select t.text_number, b.number, b.block,
             lag(b.is_heading) over (partition by t.text_number order by b.number) is not true as is_first
      from (
        select generate_subscripts(headed_blocks.contents, 1) as text_number, unnest(headed_blocks.contents) as content
      ) t,
      lateral braid_store.markdown_blocks(t.content) b
      where headed_blocks.formats[t.text_number] = 'markdown' and t.content is not null
    ) b
  ) g
  group by g.text_number, g.group_number;
end
$$;

comment on function braid_store.headed_blocks(text[], text[]) is
  'Return the blocks of the texts whose format is markdown, each joined with the headings right above it.';
