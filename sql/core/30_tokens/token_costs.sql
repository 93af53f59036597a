-- Counting tokens exactly needs the model's vocabulary; counting kinds of characters takes a few linear scans. The
-- weights solve a linear program. It maximises the size of chunks of English prose, under the condition that no window
-- of 250 true WordPiece tokens (all-MiniLM-L6-v2) costs less than 240. The windows come from prose, code, logs, 12
-- languages, and random digits, letters, base64 and Unicode. Common English words give a discount, because the words
-- around them are usually whole in the vocabulary. Letters that are rare in English, digits and capitals indicate words
-- that are cut into many pieces.
create or replace function braid_store.token_costs(contents text[])
returns float8[]
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  -- Many texts are counted together, each after this character, because a function call costs as much as scanning
  -- hundreds of characters. Inside the texts it is replaced by another character that counts the same.
  c_start constant text := E'\x02';
  -- This number of bytes is counted at once; some twenty copies of them are made.
  c_size constant int := 65536;
  c_capital_words constant text[] :=
    '{THE,OF,AND,TO,IN,THAT,IS,FOR,WAS,WITH,ARE,FROM,BE,THIS,IT,HAVE,NOT,WHICH,YOU,THEY,BUT,WE}';
  v_costs float8[] := '{}';
  v_text text;
  v_has_foreign boolean;
  v_ascii text;
  v_plain text;
  v_alphanumeric text;
  v_letters text;
  v_lower text;
  v_marked text;
  v_word text;
begin
  for v_text in
    select c_start || string_agg(t.content, c_start order by t.number)
    from (
      select t.number, t.content,
        sum(octet_length(t.content) + 1) over (order by t.number rows unbounded preceding) / c_size as part
      from (
        select generate_subscripts(token_costs.contents, 1) as number,
          rtrim(replace(unnest(token_costs.contents), c_start, E'\x03'), E' \n') as content
      ) t
    ) t
    group by t.part
    order by t.part
  loop
    v_has_foreign := octet_length(v_text) > length(v_text);
    -- Replace each run of characters beyond ASCII by one letter, because a match takes the same time for a run as for
    -- one letter.
    v_ascii := case when v_has_foreign then regexp_replace(v_text, E'[^\\x01-\\x7f]+', 'é', 'g') else v_text end;
    -- Characters are removed one after the other, because one match of a pattern costs as much as scanning hundreds of
    -- characters. Most texts have only the punctuation of the first list, and many have no digit.
    v_plain := replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(
      v_ascii, '.', ''), ',', ''), '-', ''), '''', ''), '"', ''), '(', ''), ')', ''), ':', ''), ';', ''), '?', '');
    v_alphanumeric := case when v_plain !~ E'[!#$%&*+/<=>@[\\\\\\]^_`{|}~]' then v_plain else
      replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(
      replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(
      v_plain, '!', ''), '#', ''), '$', ''), '%', ''), '&', ''), '*', ''), '+', ''), '/', ''), '<', ''), '=', ''), '>',
        ''),
      '@', ''), '[', ''), E'\\', ''), ']', ''), '^', ''), '_', ''), '`', ''), '{', ''), '|', ''), '}', ''), '~',
        '') end;
    v_letters := case when v_alphanumeric !~ '[0-9]' then v_alphanumeric else
      replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(v_alphanumeric,
      '0', ''), '1', ''), '2', ''), '3', ''), '4', ''), '5', ''), '6', ''), '7', ''), '8', ''), '9', '') end;
    v_lower := lower(v_ascii collate "C");
    -- Common words between spaces become ü. If two of them are adjacent and share a space, only one counts.
    v_marked := replace(v_ascii, ' ', '  ');
    v_marked := replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(
      replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(
      v_marked, ' the ', 'ü'), ' of ', 'ü'), ' and ', 'ü'), ' to ', 'ü'), ' in ', 'ü'), ' that ', 'ü'),
      ' is ', 'ü'), ' for ', 'ü'), ' was ', 'ü'), ' with ', 'ü'), ' are ', 'ü'), ' from ', 'ü'), ' be ', 'ü'),
      ' this ', 'ü'), ' it ', 'ü'), ' have ', 'ü'), ' not ', 'ü'), ' which ', 'ü'), ' you ', 'ü'), ' they ', 'ü'),
      ' but ', 'ü'), ' we ', 'ü');
    if v_ascii ~ ' (?:THE|OF|AND|TO|IN) ' then
      foreach v_word in array c_capital_words loop
        v_marked := replace(v_marked, ' ' || v_word || ' ', 'ü');
      end loop;
    end if;
    v_marked := replace(v_marked, 'üü', 'ü');

    -- [2:] skips the empty text before the first start character.
    v_costs := v_costs || (array(
      select case when p.length = 0 then 0 else greatest(
          -- Costs are in hundredths of a token. The first argument counts what the tokenizer always separates.
          100 * (1 + p.spaces + p.punctuation + p.beyond_ascii + p.hangul),
          78 * (1 + p.spaces)
          + 22 * (p.length - p.spaces - p.punctuation - p.digits)
          + 125 * p.punctuation
          + 60 * p.digits
          + case when p.digits > 0 then 95::bigint * regexp_count(p.ascii, '[A-Za-z][0-9]|[0-9][A-Za-z]') else 0 end
          + 78 * p.beyond_ascii
          + 100 * p.hangul
          + 240 * p.rare
          -- In a text in capitals they indicate nothing, because the tokenizer converts them to lower case.
          + case when 2 * p.capitals > p.length - p.spaces - p.punctuation - p.digits then 4 else 27 end * p.capitals
          - 270 * p.discounts
        ) / float8 '100' end
      from (
        select t.ascii, length(t.content)::bigint as length,
          (octet_length(t.ascii) - octet_length(t.spaceless))::bigint as spaces,
          (octet_length(t.ascii) - octet_length(t.alphanumeric))::bigint as punctuation,
          (octet_length(t.alphanumeric) - octet_length(t.letters))::bigint as digits,
          (octet_length(t.ascii) - octet_length(t.common))::bigint as rare,
          -- A capital letter has one bit less than its small letter.
          case when t.ascii = t.lower then 0
               else bit_count(convert_to(t.lower, 'UTF8')) - bit_count(convert_to(t.ascii, 'UTF8')) end as capitals,
          case when v_has_foreign then (length(t.content) - octet_length(replace(t.ascii, 'é', '')))::bigint else 0 end
            as beyond_ascii,
          case when v_has_foreign then (length(t.content) - length(t.without_hangul))::bigint else 0 end as hangul,
          (octet_length(t.marked) - octet_length(replace(t.marked, 'ü', '')))::bigint / 2 as discounts
        from (
          select unnest(string_to_array(v_text, c_start)) as content,
            unnest(string_to_array(v_ascii, c_start)) as ascii,
            unnest(string_to_array(replace(v_ascii, ' ', ''), c_start)) as spaceless,
            unnest(string_to_array(v_alphanumeric, c_start)) as alphanumeric,
            unnest(string_to_array(v_letters, c_start)) as letters, unnest(string_to_array(v_lower, c_start)) as lower,
            unnest(string_to_array(replace(replace(replace(replace(replace(
              v_lower, 'j', ''), 'k', ''), 'q', ''), 'x', ''), 'z', ''), c_start)) as common,
            -- The model's tokenizer splits a Hangul syllable into its two or three letters, which are about two tokens.
            unnest(case when v_has_foreign
                        then string_to_array(regexp_replace(v_text, '[가-힣]+', '', 'g'), c_start) end) as without_hangul,
            unnest(string_to_array(v_marked, c_start)) as marked
        ) as t
        offset 0 -- so that each count is made only once
      ) as p
    ))[2:];
  end loop;
  return v_costs;
end
$$;
comment on function braid_store.token_costs(text[]) is
  'Estimate how many WordPiece tokens each text has; the estimate is rarely too low. The cost of a text is the sum '
  'over its sentences.';
