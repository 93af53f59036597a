-- Counting tokens exactly needs the model's vocabulary. Counting kinds of characters takes a few linear scans. The
-- weights solve a linear program: the largest chunks of English prose such that no window of 250 true WordPiece tokens
-- (all-MiniLM-L6-v2) costs less than 240, over prose, code and logs, 12 languages, and random digits, letters, base64
-- and Unicode. Common English words give a discount, because the words around them are usually whole in the vocabulary.
-- Letters that are rare in English, digits and capitals are signs of words that are cut into many pieces.
create or replace function braid_store.token_cost(content text)
returns float8
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  c_text constant text := rtrim(token_cost.content, E' \n');
  c_length constant bigint := length(c_text);
  -- Each run of characters beyond ASCII becomes one letter. A match costs the same for a run as for one letter.
  c_ascii constant text := case when octet_length(c_text) = c_length then c_text
                                else regexp_replace(c_text, E'[^\\x01-\\x7f]+', 'é', 'g') end;
  c_ascii_length constant bigint := length(c_ascii);
  c_spaces constant bigint := c_ascii_length - length(replace(c_ascii, ' ', ''));
  c_punctuation constant bigint := regexp_count(c_ascii, '[!-/:-@[-`{-~]');
  c_digits constant bigint := regexp_count(c_ascii, '[0-9]');
  -- Most texts have many of these, and replacing them is cheaper than one match for each.
  c_rare constant bigint := c_ascii_length - length(replace(replace(replace(replace(replace(
    lower(c_ascii collate "C"), 'j', ''), 'k', ''), 'q', ''), 'x', ''), 'z', ''));
  v_foreign bigint := 0; -- beyond ASCII
  v_hangul bigint := 0;
begin
  if c_length = 0 then
    return 0;
  end if;
  if octet_length(c_text) > c_length then
    v_foreign := c_length - length(replace(c_ascii, 'é', ''));
    -- The tokenizer splits each into its two or three letters, about two tokens.
    v_hangul := c_length - length(regexp_replace(c_text, '[가-힣]+', '', 'g'));
  end if;
  -- In hundredths of a token.
  return greatest(
    -- what the tokenizer always separates
    100 * (1 + c_spaces + c_punctuation + v_foreign + v_hangul),
    78 * (1 + c_spaces)
    + 22 * (c_length - c_spaces - c_punctuation - c_digits)
    + 125 * c_punctuation
    + 60 * c_digits
    + case when c_digits > 0 then 95::bigint * regexp_count(c_ascii, '[A-Za-z][0-9]|[0-9][A-Za-z]') else 0 end
    + 78 * v_foreign
    + 100 * v_hangul
    + 240 * c_rare
    + 27::bigint * regexp_count(c_ascii, '[A-Z]')
    - 270::bigint * regexp_count(
        c_ascii, ' (?:the|of|and|to|in|that|is|for|was|with|are|from|be|this|it|have|not|which|you|they|but|we) ')
  ) / float8 '100';
end
$$;
comment on function braid_store.token_cost(text) is
  'Estimates how many WordPiece tokens a text has, rarely too low. The sum over the sentences of a text is the cost of '
  'the text.';
