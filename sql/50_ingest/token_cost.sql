-- Counting tokens exactly needs the model's vocabulary; counting kinds of characters takes a few linear scans. The
-- weights are the solution of a linear program: the largest chunks of English prose such that no window of 250 true
-- WordPiece tokens (all-MiniLM-L6-v2) weighs less than 240, over prose, code and logs, 12 languages, and random
-- digits, letters, base64 and Unicode. Common English words earn a discount, since the words around them are in the
-- vocabulary whole; letters rare in English, digits and capitals mark what is cut into many pieces.
create or replace function braid_store.token_cost(content text)
returns float8
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  v_text constant text := rtrim(token_cost.content, E' \n');
  v_length constant int := length(v_text);
  v_spaces constant int := v_length - length(replace(v_text, ' ', ''));
  v_punctuation constant int := regexp_count(v_text, '[!-/:-@[-`{-~]');
  v_digits constant int := regexp_count(v_text, '[0-9]');
  v_other int := 0; -- characters beyond ASCII
  v_hangul int := 0;
begin
  if v_length = 0 then
    return 0;
  end if;
  if octet_length(v_text) > v_length then
    v_other := regexp_count(v_text, '[^\x01-\x7f]');
    v_hangul := regexp_count(v_text, '[가-힣]'); -- each is read as its two or three letters, about two tokens
  end if;
  return greatest(
    -- what the model's tokenizer separates in any case
    1 + v_spaces + v_punctuation + v_other + v_hangul,
    0.78 * (1 + v_spaces)
    + 0.22 * (v_length - v_spaces - v_punctuation - v_digits)
    + 1.25 * v_punctuation
    + 0.6 * v_digits + 0.95 * regexp_count(v_text, '[A-Za-z][0-9]|[0-9][A-Za-z]')
    + 0.78 * v_other + v_hangul
    + 2.4 * regexp_count(v_text, '[jkqxzJKQXZ]')
    + 0.27 * regexp_count(v_text, '[A-Z]')
    - 2.7 * regexp_count(v_text, ' (?:the|of|and|to|in|that|is|for|was|with|are|from|be|this|it|have|not|which|you'
                                 '|they|but|we) '));
end
$$;
comment on function braid_store.token_cost(text) is
  'About how many WordPiece tokens a text is, rarely below the truth. Adds up over the sentences of a text.';
