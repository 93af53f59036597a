-- A sentence ends at . ! ? … before white space, at the equivalents of these in CJK, Indic and other scripts, and at
-- the end of a line. Only pieces that are still too long are cut further, so a text without punctuation costs no more.
-- Every pattern matches all text, so the pieces together are the whole content except white space.
create or replace function braid_store.split_pieces(
  contents text[],
  chunk_tokens float8[],
  formats text[] default null
)
returns table (text_number int, piece text, cost float8)
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  -- This character is put between words, so that they are found without a pattern.
  c_cut constant text := E'\x02';
  -- This matches text up to the end of a sentence or line. A point that text follows, as in 3.5 or a.b, ends no
  -- sentence.
  c_sentence constant text := format(
    E'(?:[^%1$s%2$s\\n]|[%1$s][%1$s%3$s]*[^\\s%1$s%2$s%3$s])*'
    '(?:[%1$s][%1$s%3$s]*(?:\\s+|$)|(?:[%1$s][%1$s%3$s]*)?[%2$s][%1$s%2$s%3$s]*\\s*|\\n\\s*|$)',
    '.!?…', '。！？｡।॥؟۔։።', E'"''”’」』）)\\]');
  -- Sentences have a text and a cost. Groups of words have a cost and the place of their sentence in v_sentences. Runs
  -- of characters have the place of their group in v_groups.
  v_texts int[];
  v_sentences text[];
  v_costs float8[];
  v_group_sentences int[];
  v_groups text[];
  v_group_costs float8[];
  v_run_groups int[];
  v_runs text[];
  -- Markdown is first cut into blocks together with the headings above them. A block that is too long loses its
  -- headings, and is cut into pieces if it is still too long.
  v_headed_texts int[];
  v_headed text[];
  v_block_texts int[];
  v_blocks text[];
  v_markdown_texts int[];
  v_markdown text[];
begin
  select array_agg(s.text_number), array_agg(s.match[1]) into v_texts, v_sentences
  from (
    select t.text_number, regexp_matches(t.content, c_sentence, 'g') as match
    from (
      select generate_subscripts(split_pieces.contents, 1) as text_number, unnest(split_pieces.contents) as content
    ) t
    where split_pieces.formats[t.text_number] is distinct from 'markdown'
  ) s
  where s.match[1] <> '';
  if 'markdown' = any (split_pieces.formats) then
    select array_agg(b.text_number order by b.text_number, b.number), array_agg(b.block order by b.text_number,
      b.number)
    into v_headed_texts, v_headed
    from braid_store.headed_blocks(split_pieces.contents, split_pieces.formats) b;
    select array_agg(b.text_number order by b.place, m.number), array_agg(m.block order by b.place, m.number)
    into v_block_texts, v_blocks
    from unnest(v_headed_texts, v_headed, braid_store.token_costs(v_headed)) with ordinality b (text_number, block,
      cost, place),
         lateral (
           select 0 as number, b.block where b.cost <= split_pieces.chunk_tokens[b.text_number]
           union all
           select m.number, m.block from braid_store.markdown_blocks(b.block) m
           where b.cost > split_pieces.chunk_tokens[b.text_number]
         ) m;
    select array_agg(b.text_number order by b.place, m.number), array_agg(m.piece order by b.place, m.number)
    into v_markdown_texts, v_markdown
    from unnest(v_block_texts, v_blocks, braid_store.token_costs(v_blocks)) with ordinality b (text_number, block, cost,
      place),
         lateral (
           select 0 as number, b.block as piece where b.cost <= split_pieces.chunk_tokens[b.text_number]
           union all
           select r.number, r.match[1]
           from regexp_matches(b.block, c_sentence, 'g') with ordinality r (match, number)
           where b.cost > split_pieces.chunk_tokens[b.text_number]
         ) m
    where m.piece <> '';
    v_texts := coalesce(v_texts, '{}') || v_markdown_texts;
    v_sentences := coalesce(v_sentences, '{}') || v_markdown;
  end if;
  v_costs := braid_store.token_costs(v_sentences);

  -- Words are grouped to about 40 characters, so that fewer pieces need an estimate.
  select array_agg(g.number order by g.number, g.group_number), array_agg(g.piece order by g.number, g.group_number)
  into v_group_sentences, v_groups
  from (
    select w.number, w.group_number, string_agg(w.word, '' order by w.word_number) as piece
    from (
      select w.number, w.word_number, w.word,
        sum(length(w.word)) over (partition by w.number order by w.word_number) / 40 as group_number
      from (
        select s.number, generate_series(1, cardinality(s.words)) as word_number, unnest(s.words) as word
        from (
          select s.number,
            case when s.sentence !~ E'[^\\S \\n\\r\\t]' and strpos(s.sentence, c_cut) = 0 then
              -- Put a mark after each white space, then remove marks before white space. Matching each word would take
              -- ten times as long.
              string_to_array(
                replace(replace(replace(replace(replace(replace(replace(replace(ltrim(s.sentence, E' \n\r\t'),
                  ' ', ' ' || c_cut), E'\n', E'\n' || c_cut), E'\r', E'\r' || c_cut), E'\t', E'\t' || c_cut),
                  c_cut || ' ', ' '), c_cut || E'\n', E'\n'), c_cut || E'\r', E'\r'), c_cut || E'\t', E'\t'),
                c_cut)
            else array(select m.match[1] from (select regexp_matches(s.sentence, E'\\S+\\s*', 'g') as match) m)
            end as words
          from (
            select generate_subscripts(v_sentences, 1) as number, unnest(v_texts) as text_number,
              unnest(v_sentences) as sentence, unnest(v_costs) as cost
          ) s
          where s.cost > split_pieces.chunk_tokens[s.text_number]
          offset 0 -- The offset keeps words from being split at each use.
        ) s
      ) w
      where w.word <> ''
    ) w
    group by w.number, w.group_number
  ) g;
  v_group_costs := braid_store.token_costs(v_groups);

  select array_agg(r.number), array_agg(r.match[1]) into v_run_groups, v_runs
  from (
    select g.number, regexp_matches(g.piece, case when g.chunk_tokens < 60 then '.' else '.{1,16}' end, 'g') as match
    from (
      select g.*, split_pieces.chunk_tokens[v_texts[g.sentence_number]] as chunk_tokens
      from (
        select generate_subscripts(v_groups, 1) as number, unnest(v_group_sentences) as sentence_number,
          unnest(v_groups) as piece, unnest(v_group_costs) as cost
      ) g
    ) g
    where g.cost > g.chunk_tokens
  ) r;

  return query
  select v_texts[p.sentence_number], p.piece, p.cost
  from (
    select s.number as sentence_number, 0 as group_number, 0 as run_number, s.sentence as piece, s.cost
    from (
      select generate_subscripts(v_sentences, 1) as number, unnest(v_texts) as text_number,
        unnest(v_sentences) as sentence, unnest(v_costs) as cost
    ) s
    where s.cost <= split_pieces.chunk_tokens[s.text_number]
    union all
    select g.sentence_number, g.number, 0, g.piece, g.cost
    from (
      select generate_subscripts(v_groups, 1) as number, unnest(v_group_sentences) as sentence_number,
        unnest(v_groups) as piece, unnest(v_group_costs) as cost
    ) g
    where g.cost <= split_pieces.chunk_tokens[v_texts[g.sentence_number]]
    union all
    select v_group_sentences[r.group_number], r.group_number, r.number, r.piece, r.cost
    from (
      select unnest(v_run_groups) as group_number, generate_subscripts(v_runs, 1) as number, unnest(v_runs) as piece,
        unnest(braid_store.token_costs(v_runs)) as cost
    ) r
  ) p
  order by p.sentence_number, p.group_number, p.run_number;
end
$$;
comment on function braid_store.split_pieces(text[], float8[], text[]) is
  'Cut texts into small pieces, in order, each with its cost in estimated tokens. Pieces are sentences. In Markdown, '
  'pieces are blocks, with the headings right above them if they fit, or sentences of longer blocks. A sentence that '
  'costs more than its text''s chunk_tokens is cut into groups of words, and a group that still costs more into runs '
  'of characters.';
