create or replace function braid_store.split_text(source text, chunk_tokens int)
returns table (chunk_index int, content text, token_count int)
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  c_white_space constant text := E' \t\n\r\f\x0B';
  c_overlap constant float8 := 0.1;
  c_budget constant float8 := greatest(split_text.chunk_tokens, 1);
  v_cost float8;
  v_piece text;
  -- The pieces of the chunk being filled. The first v_repeated of them were in the chunk before, too.
  v_pieces text[] := '{}';
  v_costs float8[] := '{}';
  v_repeated int := 0;
  v_total float8 := 0;
  v_paragraph_end int := 0;
  v_end int;
  v_start int;
  v_sum float8;
begin
  -- Estimates the whole text only if it is likely to fit. A longer one that fits nevertheless becomes one chunk below.
  if length(split_text.source) <= 8 * c_budget then
    v_cost := braid_store.token_cost(split_text.source);
    if v_cost <= c_budget then
      if split_text.source ~ E'\\S' then
        return query select 0, btrim(split_text.source, c_white_space), ceil(v_cost)::int;
      end if;
      return;
    end if;
  end if;

  split_text.chunk_index := 0;
  for v_piece, v_cost in
    select p.piece, p.cost from braid_store.split_pieces(split_text.source, c_budget) p
  loop
    while v_total + v_cost > c_budget and cardinality(v_pieces) > v_repeated loop
      v_end := case when v_paragraph_end > 0 then v_paragraph_end else cardinality(v_pieces) end;
      split_text.content := btrim(array_to_string(v_pieces[:v_end], ''), c_white_space);
      if split_text.content <> '' then
        select ceil(round(sum(c)::numeric, 2))::int into split_text.token_count from unnest(v_costs[:v_end]) c;
        return next;
        split_text.chunk_index := split_text.chunk_index + 1;
      end if;

      -- The next chunk begins with as many whole pieces of this one's end as fit the overlap.
      v_start := v_end;
      v_sum := 0;
      while v_start > v_repeated + 1 and v_sum + v_costs[v_start] <= c_overlap * c_budget loop
        v_sum := v_sum + v_costs[v_start];
        v_start := v_start - 1;
      end loop;
      v_repeated := v_end - v_start;
      v_pieces := v_pieces[v_start + 1:];
      v_costs := v_costs[v_start + 1:];
      select coalesce(sum(c), 0) into v_total from unnest(v_costs) c;
      v_paragraph_end := 0;
    end loop;
    while v_total + v_cost > c_budget and v_repeated > 0 loop
      v_total := v_total - v_costs[1];
      v_pieces := v_pieces[2:];
      v_costs := v_costs[2:];
      v_repeated := v_repeated - 1;
    end loop;

    v_pieces := v_pieces || v_piece;
    v_costs := v_costs || v_cost;
    v_total := v_total + v_cost;
    -- Prefers a paragraph's end where the chunk is at least three quarters full.
    if v_total >= 0.75 * c_budget and v_piece ~ E'\\n\\s*\\n\\s*$' then
      v_paragraph_end := cardinality(v_pieces);
    end if;
  end loop;

  split_text.content := btrim(array_to_string(v_pieces, ''), c_white_space);
  if cardinality(v_pieces) > v_repeated and split_text.content <> '' then
    split_text.token_count := ceil(round(v_total::numeric, 2))::int;
    return next;
  end if;
end
$$;
comment on function braid_store.split_text(text, int) is
  'Cuts a text into chunks of at most chunk_tokens estimated tokens. It cuts between sentences, at the end of a '
  'paragraph if one comes late enough, and begins each chunk with about the last tenth of the one before. White space '
  'alone gives no chunk.';
