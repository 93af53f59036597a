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
  -- Characters are removed one after the other: one match of a pattern costs as much as scanning hundreds of characters.
  -- Most texts have no other punctuation than the first, and many have no digit.
  c_plain constant text := replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(
    c_ascii, '.', ''), ',', ''), '-', ''), '''', ''), '"', ''), '(', ''), ')', ''), ':', ''), ';', ''), '?', '');
  c_alphanumeric constant text := case when c_plain !~ E'[!#$%&*+/<=>@[\\\\\\]^_`{|}~]' then c_plain else
    replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(
    replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(
    c_plain, '!', ''), '#', ''), '$', ''), '%', ''), '&', ''), '*', ''), '+', ''), '/', ''), '<', ''), '=', ''), '>', ''),
    '@', ''), '[', ''), E'\\', ''), ']', ''), '^', ''), '_', ''), '`', ''), '{', ''), '|', ''), '}', ''), '~', '') end;
  c_punctuation constant bigint := c_ascii_length - length(c_alphanumeric);
  c_digits constant bigint := case when c_alphanumeric !~ '[0-9]' then 0 else length(c_alphanumeric) - length(
    replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(c_alphanumeric,
    '0', ''), '1', ''), '2', ''), '3', ''), '4', ''), '5', ''), '6', ''), '7', ''), '8', ''), '9', '')) end;
  c_lower constant text := lower(c_ascii collate "C");
  -- A capital letter has one bit less than its small one.
  c_capitals constant bigint :=
    bit_count(convert_to(c_lower, 'UTF8')) - bit_count(convert_to(c_ascii, 'UTF8'));
  c_rare constant bigint := c_ascii_length - length(replace(replace(replace(replace(replace(
    c_lower, 'j', ''), 'k', ''), 'q', ''), 'x', ''), 'z', ''));
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
    + 27 * c_capitals
    - 270::bigint * regexp_count(
        c_ascii, ' (?:the|of|and|to|in|that|is|for|was|with|are|from|be|this|it|have|not|which|you|they|but|we) ')
  ) / float8 '100';
end
$$;
comment on function braid_store.token_cost(text) is
  'Estimates how many WordPiece tokens a text has, rarely too low. The sum over the sentences of a text is the cost of '
  'the text.';
