-- A speech is what one speaker says in a row, in one turn or several. Pieces and turns are matched by their characters
-- other than white space, because split_pieces may leave out white space.
create or replace function braid_store.split_turns(
  collection braid_store.collections,
  inputs braid_store.document_input[]
)
returns table (
  ordinality int,
  chunk_index int,
  content text,
  token_count int,
  speaker text,
  occurred_at timestamptz,
  metadata jsonb
)
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  c_white_space constant text := E' \t\n\r\f\x0B';
  c_max_speaker constant int := 1024;
  c_reads_title constant boolean := 'title' = any (split_turns.collection.embed_fields);
  c_reads_speaker constant boolean := 'speaker' = any (split_turns.collection.embed_fields);
  -- Turns with text have a size, in characters other than white space, and times.
  v_sizes int[];
  v_starts numeric[];
  v_ends numeric[];
  -- Speeches have a document, a speaker and a text. v_rooms limits the cost of a chunk of one speech, and v_budgets of
  -- a chunk of several; v_overlaps limits what is repeated. v_label_costs is the cost of the name before the speech,
  -- and v_line_costs of the name in the line of speakers that the model reads.
  v_documents int[];
  v_speakers text[];
  v_texts text[];
  v_rooms float8[];
  v_budgets float8[];
  v_overlaps float8[];
  v_label_costs float8[];
  v_line_costs float8[];
  v_speech_costs float8[];
  v_speech_firsts int[];
  v_speech_lasts int[];
  -- Pieces have a speech, and the first and the last turn from which they have text.
  v_speeches int[];
  v_pieces text[];
  v_costs float8[];
  v_piece_sizes int[];
  v_first_turns int[] := '{}';
  v_last_turns int[] := '{}';
  -- Chunks have a first and a last piece, and a cost.
  v_firsts int[] := '{}';
  v_lasts int[] := '{}';
  v_chunk_costs float8[] := '{}';
  -- The chunk being filled has the pieces v_first to v_last. Pieces before v_own were in the chunk before, too.
  v_first int;
  v_own int;
  v_last int;
  v_total float8;
  v_labels float8;
  v_lines float8;
  v_is_alone boolean;
  v_names text[];
  -- v_repeated is the cost of the overlap with one more piece of the chunk before, and v_room is the room of the chunk.
  v_repeated float8;
  v_room float8;
  -- The pieces v_next to v_end, of v_speech, are added next.
  v_next int := 1;
  v_end int;
  v_speech int;
  v_cost float8;
  v_is_whole boolean;
  v_fits boolean;
  v_turn int := 1;
  v_left int;
begin
  select array_agg(s.size order by s.number), array_agg(s.start order by s.number), array_agg(s."end" order by s.number)
  into v_sizes, v_starts, v_ends
  from braid_store.spoken_turns(split_turns.inputs) s;
  if v_sizes is null then
    return;
  end if;

  with speeches as materialized (
    select s.speech_number, min(s.ordinality) as ordinality, min(s.speaker) as speaker,
           string_agg(s.content, ' ' order by s.number) as content
    from braid_store.spoken_turns(split_turns.inputs) s
    group by s.speech_number
  ), documents as materialized (
    select i.ordinality, coalesce(i.chunk_tokens, split_turns.collection.chunk_tokens) as most_tokens,
           coalesce(i.overlap_tokens, split_turns.collection.overlap_tokens) as overlap_tokens,
           case when c_reads_title then i.title end as title, row_number() over () as number
    from unnest(split_turns.inputs) i
  ), estimates as materialized (
    select braid_store.token_costs(array(select coalesce(d.title, '') from documents d order by d.number)) as titles,
           braid_store.token_costs(array(select coalesce(t.speaker, '?') || ':' from speeches t
                                         order by t.speech_number)) as labels,
           braid_store.token_costs(array(select coalesce(t.speaker, '') from speeches t
                                         order by t.speech_number)) as lines
  )
  select array_agg(t.ordinality order by t.speech_number), array_agg(t.speaker order by t.speech_number),
         array_agg(t.content order by t.speech_number),
         array_agg(greatest(d.most_tokens - ceil(c.title + c.line), d.most_tokens / 2, 1) order by t.speech_number),
         array_agg(greatest(d.most_tokens - ceil(c.title), d.most_tokens / 2, 1) order by t.speech_number),
         array_agg(coalesce(d.overlap_tokens, 0.1 * greatest(d.most_tokens - ceil(c.title), d.most_tokens / 2, 1))
                   order by t.speech_number),
         array_agg(c.label order by t.speech_number), array_agg(c.line order by t.speech_number)
  into v_documents, v_speakers, v_texts, v_rooms, v_budgets, v_overlaps, v_label_costs, v_line_costs
  from speeches t
  join documents d on d.ordinality = t.ordinality,
  lateral (
    select (select e.titles from estimates e)[d.number] as title,
           (select e.labels from estimates e)[t.speech_number] as label,
           case when c_reads_speaker then (select e.lines from estimates e)[t.speech_number] else 0 end as line
    offset 0
  ) c;

  select array_agg(p.text_number order by p.number), array_agg(p.piece order by p.number),
         array_agg(p.cost order by p.number), array_agg(p.size order by p.number)
  into v_speeches, v_pieces, v_costs, v_piece_sizes
  from (
    select p.*, row_number() over () as number, length(regexp_replace(p.piece, E'\\s+', '', 'g')) as size
    from braid_store.split_pieces(v_texts, v_rooms) p
  ) p;
  select array_agg(t.cost order by t.speech), array_agg(t.first order by t.speech), array_agg(t.last order by t.speech)
  into v_speech_costs, v_speech_firsts, v_speech_lasts
  from (
    select u.speech, sum(u.cost) as cost, min(u.number) as first, max(u.number) as last
    from unnest(v_speeches, v_costs) with ordinality u (speech, cost, number)
    group by u.speech
  ) t;

  v_left := v_sizes[1];
  for v_number in 1..cardinality(v_pieces) loop
    v_first_turns := v_first_turns || v_turn;
    while v_piece_sizes[v_number] > v_left loop
      v_piece_sizes[v_number] := v_piece_sizes[v_number] - v_left;
      v_turn := v_turn + 1;
      v_left := v_sizes[v_turn];
    end loop;
    v_left := v_left - v_piece_sizes[v_number];
    v_last_turns := v_last_turns || v_turn;
    if v_left = 0 and v_turn < cardinality(v_sizes) then
      v_turn := v_turn + 1;
      v_left := v_sizes[v_turn];
    end if;
  end loop;

  while v_next <= cardinality(v_pieces) loop
    v_speech := v_speeches[v_next];
    -- A speech that fits into a chunk stays whole; a longer one is added sentence by sentence.
    v_is_whole := v_speech_costs[v_speech] <= v_rooms[v_speech];
    v_end := case when v_is_whole then v_speech_lasts[v_speech] else v_next end;
    v_cost := case when v_is_whole then v_speech_costs[v_speech] else v_costs[v_next] end;

    v_fits := v_first is not null and v_documents[v_speeches[v_last]] = v_documents[v_speech];
    if v_fits then
      if v_speeches[v_last] = v_speech then
        v_fits := case when v_is_alone then v_total + v_cost <= v_rooms[v_speech]
                       else v_total + v_cost + v_labels + v_lines <= v_budgets[v_speech] end;
      else
        -- A speech that is too long for one chunk begins a new chunk, unless the current chunk is less than half full.
        v_fits := v_total + v_cost + v_labels + v_label_costs[v_speech] + v_lines
                  + case when coalesce(v_speakers[v_speech], '') = any (v_names) then 0 else v_line_costs[v_speech] end
                  <= v_budgets[v_speech]
                  and (v_is_whole or 2 * v_total < v_budgets[v_speech]);
      end if;
    end if;

    if v_fits then
      if v_speeches[v_last] <> v_speech then
        v_is_alone := false;
        v_labels := v_labels + v_label_costs[v_speech];
        if coalesce(v_speakers[v_speech], '') <> all (v_names) then
          v_lines := v_lines + v_line_costs[v_speech];
          v_names := v_names || coalesce(v_speakers[v_speech], '');
        end if;
      end if;
      v_total := v_total + v_cost;
    else
      if v_first is not null then
        v_firsts := v_firsts || v_first;
        v_lasts := v_lasts || v_last;
        v_chunk_costs := v_chunk_costs || v_total + case when v_is_alone then 0 else v_labels end;
      end if;
      v_first := v_next;
      v_total := v_cost;
      v_labels := v_label_costs[v_speech];
      v_lines := v_line_costs[v_speech];
      v_is_alone := true;
      v_names := array[coalesce(v_speakers[v_speech], '')];
      -- The chunk begins with whole pieces from the end of the chunk before, as far as the overlap allows and they fit.
      -- With the names before them, they take at most half of the room.
      while v_first - 1 > v_own and v_documents[v_speeches[v_first - 1]] = v_documents[v_speech]
            and v_total - v_cost + v_costs[v_first - 1] <= v_overlaps[v_speech] loop
        if v_speeches[v_first - 1] = v_speeches[v_first] then
          v_repeated := v_total - v_cost + v_costs[v_first - 1]
                        + case when v_is_alone then 0 else v_labels - v_label_costs[v_speech] end;
          v_room := case when v_is_alone then v_rooms[v_speech] else v_budgets[v_speech] - v_lines end;
          exit when v_repeated + v_cost + case when v_is_alone then 0 else v_label_costs[v_speech] end > v_room
                    or 2 * v_repeated > v_room;
        else
          v_repeated := v_total - v_cost + v_costs[v_first - 1]
                        + v_labels - v_label_costs[v_speech] + v_label_costs[v_speeches[v_first - 1]];
          v_room := v_budgets[v_speech] - v_lines
                    - case when coalesce(v_speakers[v_speeches[v_first - 1]], '') = any (v_names) then 0
                           else v_line_costs[v_speeches[v_first - 1]] end;
          exit when v_repeated + v_cost + v_label_costs[v_speech] > v_room or 2 * v_repeated > v_room;
          v_is_alone := false;
          v_labels := v_labels + v_label_costs[v_speeches[v_first - 1]];
          if coalesce(v_speakers[v_speeches[v_first - 1]], '') <> all (v_names) then
            v_lines := v_lines + v_line_costs[v_speeches[v_first - 1]];
            v_names := v_names || coalesce(v_speakers[v_speeches[v_first - 1]], '');
          end if;
        end if;
        v_first := v_first - 1;
        v_total := v_total + v_costs[v_first];
      end loop;
      v_own := v_next;
    end if;
    v_last := v_end;
    v_next := v_end + 1;
  end loop;
  v_firsts := v_firsts || v_first;
  v_lasts := v_lasts || v_last;
  v_chunk_costs := v_chunk_costs || v_total + case when v_is_alone then 0 else v_labels end;

  return query
  with chunks as materialized (
    select u.number, u.first, u.last, u.cost, v_documents[v_speeches[u.first]] as ordinality
    from unnest(v_firsts, v_lasts, v_chunk_costs) with ordinality u (first, last, cost, number)
  ), parts as materialized (
    select c.number, p.speech, btrim(string_agg(p.piece, '' order by p.number), c_white_space) as content
    from (select c.number, generate_series(c.first, c.last) as piece_number from chunks c) c
    join unnest(v_pieces, v_speeches) with ordinality p (piece, speech, number) on p.number = c.piece_number
    group by c.number, p.speech
  ), texts as materialized (
    select p.number,
           case when count(*) = 1 then min(p.content)
                else string_agg(coalesce(t.speaker, '?') || ': ' || p.content, E'\n' order by p.speech) end as content
    from parts p
    join unnest(v_speakers) with ordinality t (speaker, number) on t.number = p.speech
    group by p.number
  ), names as materialized (
    select n.number, array_agg(n.speaker order by n.speech) as speakers
    from (
      select p.number, t.speaker, min(p.speech) as speech
      from parts p
      join unnest(v_speakers) with ordinality t (speaker, number) on t.number = p.speech
      where t.speaker is not null
      group by p.number, t.speaker
    ) n
    group by n.number
  ), times as materialized (
    select s.number, min(v_starts[s.turn]) as start, max(v_ends[s.turn]) as "end"
    from (
      select c.number, generate_series(v_first_turns[c.first], v_last_turns[c.last]) as turn from chunks c
    ) s
    group by s.number
  )
  select c.ordinality, (row_number() over (partition by c.ordinality order by c.number))::int - 1, x.content,
         ceil(round(c.cost::numeric, 2))::int,
         case when octet_length(array_to_string(n.speakers, ', ')) <= c_max_speaker then array_to_string(n.speakers,
           ', ')
              else left(array_to_string(n.speakers, ', '), c_max_speaker / 4 - 1) || '…' end,
         -- A sum beyond the range of timestamptz raises an error, so a very late or infinite occurred_at stays as it
         -- is.
         case when i.occurred_at < '290000-01-01'::timestamptz
              then i.occurred_at + make_interval(secs => coalesce(w.start, 0)::float8) else i.occurred_at end,
         jsonb_strip_nulls(jsonb_build_object('start', w.start, 'end', w."end", 'speakers', n.speakers))
  from chunks c
  join (select i.ordinality, i.occurred_at from unnest(split_turns.inputs) i) i on i.ordinality = c.ordinality
  join texts x on x.number = c.number
  join times w on w.number = c.number
  left join names n on n.number = c.number;
end
$$;

comment on function braid_store.split_turns(braid_store.collections, braid_store.document_input[]) is
  'Make chunks of the turns of documents. A speech that fits into a chunk stays whole, and so does a sentence unless '
  'it alone is too long. A chunk of several speakers has a line for each speech, which begins with the speaker''s '
  'name. Each chunk begins with the end of the chunk before: at most overlap_tokens (null: a tenth of a chunk), and '
  'at most half a chunk. metadata: start, end and speakers of the turns in the chunk. occurred_at: the document''s '
  'occurred_at plus start.';
