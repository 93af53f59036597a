create or replace function braid_store.split_texts(
  sources text[],
  chunk_tokens int[],
  overlap_tokens int[] default null,
  formats text[] default null
)
returns table (text_number int, chunk_index int, content text, token_count int)
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  c_white_space constant text := E' \t\n\r\f\x0B';
  c_budgets constant float8[] := array(select greatest(unnest(split_texts.chunk_tokens), 1));
  v_budget float8;
  v_overlap float8;
  v_text_pieces text[];
  v_text_costs float8[];
  v_cost float8;
  v_piece text;
  -- The chunk being filled has these pieces. The first v_repeated of them were in the chunk before, too.
  v_pieces text[];
  v_costs float8[];
  v_repeated int;
  v_total float8;
  v_paragraph_end int;
  v_end int;
  v_start int;
  v_sum float8;
begin
  for split_texts.text_number, v_text_pieces, v_text_costs in
    select p.text_number, array_agg(p.piece order by p.number), array_agg(p.cost order by p.number)
    from (select p.*, row_number() over () as number from braid_store.split_pieces(split_texts.sources, c_budgets,
      split_texts.formats) p) p
    group by p.text_number
    order by p.text_number
  loop
    v_budget := c_budgets[split_texts.text_number];
    v_overlap := least(coalesce(split_texts.overlap_tokens[split_texts.text_number], 0.1 * v_budget), 0.5 * v_budget);
    v_pieces := '{}';
    v_costs := '{}';
    v_repeated := 0;
    v_total := 0;
    v_paragraph_end := 0;
    split_texts.chunk_index := 0;
    for v_number in 1..cardinality(v_text_pieces) loop
      v_piece := v_text_pieces[v_number];
      v_cost := v_text_costs[v_number];
      while v_total + v_cost > v_budget and cardinality(v_pieces) > v_repeated loop
        v_end := case when v_paragraph_end > 0 then v_paragraph_end else cardinality(v_pieces) end;
        split_texts.content := btrim(array_to_string(v_pieces[:v_end], ''), c_white_space);
        if split_texts.content <> '' then
          select ceil(round(sum(c)::numeric, 2))::int into split_texts.token_count from unnest(v_costs[:v_end]) c;
          return next;
          split_texts.chunk_index := split_texts.chunk_index + 1;
        end if;

        -- The next chunk begins with whole pieces from this chunk's end, as far as they fit the overlap.
        v_start := v_end;
        v_sum := 0;
        while v_start > v_repeated + 1 and v_sum + v_costs[v_start] <= v_overlap loop
          v_sum := v_sum + v_costs[v_start];
          v_start := v_start - 1;
        end loop;
        v_repeated := v_end - v_start;
        v_pieces := v_pieces[v_start + 1:];
        v_costs := v_costs[v_start + 1:];
        select coalesce(sum(c), 0) into v_total from unnest(v_costs) c;
        v_paragraph_end := 0;
      end loop;
      while v_total + v_cost > v_budget and v_repeated > 0 loop
        v_total := v_total - v_costs[1];
        v_pieces := v_pieces[2:];
        v_costs := v_costs[2:];
        v_repeated := v_repeated - 1;
      end loop;

      v_pieces := v_pieces || v_piece;
      v_costs := v_costs || v_cost;
      v_total := v_total + v_cost;
      -- Prefer the end of a paragraph once the chunk is at least three quarters full.
      if v_total >= 0.75 * v_budget and v_piece ~ E'\\n\\s*\\n\\s*$' then
        v_paragraph_end := cardinality(v_pieces);
      end if;
    end loop;

    split_texts.content := btrim(array_to_string(v_pieces, ''), c_white_space);
    if cardinality(v_pieces) > v_repeated and split_texts.content <> '' then
      split_texts.token_count := ceil(round(v_total::numeric, 2))::int;
      return next;
    end if;
  end loop;
end
$$;
comment on function braid_store.split_texts(text[], int[], int[], text[]) is
  'Cut each text into chunks of at most chunk_tokens estimated tokens. It cuts between sentences, or in Markdown '
  'between blocks. It cuts at the end of a paragraph if one comes after three quarters of the chunk. Each chunk '
  'begins with the end of the chunk before: at most overlap_tokens (null: a tenth of a chunk), and at most half a '
  'chunk. White space alone gives no chunk.';
