create or replace function braid_store.turn_boosts(
  collection braid_store.collections,
  tokens braid_store.query_token[]
)
returns braid_store.boost[]
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  v_lexemes text[];
  v_boosts braid_store.boost[] := '{}';
begin
  if collection.question_penalty > 0 then
    v_boosts := array[row('question', 'braid_store.question_share(c.content)', true, -collection.question_penalty)
                        ::braid_store.boost];
  end if;
  if collection.speaker_weight > 0 then
    v_lexemes := array(
      select distinct t.lexeme from unnest(turn_boosts.tokens) t
      where t.occurrence <> 'must_not' and t.token_kind not in ('stop_word', 'character'));
    -- The speakers of all candidates are compared with the query at once, since few names have many turns.
    v_boosts := v_boosts || row(
      'speaker',
      format($source$
        case when c.speaker = any ((
          select braid_store.named_speakers(array_agg(distinct s.speaker), %L, %L, %L)
          from unnest($2) n,
               lateral (
                 select s.speaker from braid_store.chunks s
                 where s.tenant_id = $1 and s.id between n.chunk_id and n.chunk_id
                 order by s.id
                 offset 0
               ) s
        )::text[]) then 1::float8 end$source$, v_lexemes, collection.text_config, collection.fold_diacritics),
      true, collection.speaker_weight)::braid_store.boost;
  end if;
  return v_boosts;
end
$$;

comment on function braid_store.turn_boosts(braid_store.collections, braid_store.query_token[]) is
  'Return the boosts by which a collection ranks turns of conversations. question_penalty is subtracted in '
  'proportion to the share of the text that asks. speaker_weight is added where the query names the speaker.';
