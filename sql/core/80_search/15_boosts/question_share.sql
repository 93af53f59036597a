create or replace function braid_store.question_share(content text)
returns float8
language plpgsql
immutable
strict
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  -- White space follows the mark at the end of a sentence, and quotation marks or brackets may come between. After a
  -- Greek letter, a semicolon is a question mark. CJK marks end a sentence without white space.
  c_end constant text :=
    E'([.!?…؟۔።፧]["''”’»)\\]*_]*(?=\\s)|[\u0370-\u03ff\u1f00-\u1fff][;\u037e](?=\\s)|[。！？][。！？]*["”’」』）]*)';
  c_question constant text :=
    E'^.*([?？؟፧]["''”’»)\\]*_」』）.!…。！]*|[\u0370-\u03ff\u1f00-\u1fff][;\u037e])\\s*$';
  v_sentences text;
  v_statements text;
begin
  if question_share.content !~ E'[?？؟፧;\u037e]' then
    return 0;
  end if;
  -- Each sentence gets a line.
  v_sentences := regexp_replace(question_share.content collate "C", c_end, E'\\1\n', 'g');
  v_statements := regexp_replace(v_sentences collate "C", c_question, '', 'gn');
  return 1 - length(translate(v_statements, E' \t\r\n', ''))::float8
             / greatest(length(translate(v_sentences, E' \t\r\n', '')), 1);
end
$$;

comment on function braid_store.question_share(text) is
  'Return the share of a text that asks, from 0 to 1: the length of its questions, divided by the length of the text. '
  'White space does not count. A sentence ends at a line break, or at a mark that white space follows. It is a '
  'question if the marks at its end include a question mark.';
