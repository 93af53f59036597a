create or replace function braid_store.ranking_preset(preset text, fusion text)
returns jsonb
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  v_preset jsonb := case preset
    when 'prose' then '{"full_text_weight": 0.6, "semantic_weight": 0.4, "neighbour_weight": 0, "smoothing": 0.5}'
    when 'code'
      then '{"full_text_weight": 0.25, "semantic_weight": 0.75, "neighbour_weight": 0, "smoothing": 0, '
           '"typos": "auto"}'
    when 'conversation'
      then '{"full_text_weight": 0.7, "semantic_weight": 0.3, "neighbour_weight": 0.2, "smoothing": 0, '
           '"document_weight": 0.6, "question_penalty": 0.3, "speaker_weight": 0.15}'
    when 'rrf' then '{"fusion": "rrf", "rrf_k": 60, "neighbour_weight": 0, "smoothing": 0}'
  end;
begin
  if v_preset is null then
    raise exception 'ranking: preset is %', coalesce(to_json(left(preset, 100))::text, 'null')
      using errcode = '22023',
            hint = 'Use prose, conversation (for documents whose chunks are consecutive turns), code (also for short '
                   'entries), or rrf (for reciprocal rank fusion).';
  elsif preset = 'rrf' and fusion <> 'rrf' then
    raise exception 'ranking: preset is "rrf" and fusion is %', to_json(left(fusion, 100))
      using errcode = '22023', hint = 'Leave out preset or fusion.';
  end if;
  return jsonb_build_object('document_weight', 0, 'question_penalty', 0, 'speaker_weight', 0, 'name_weight', 1.1,
                            'typos', 'off')
    || v_preset
    || jsonb_build_object('k1', 1.2, 'b', null, 'title_weight', 1, 'statistics_scope', 'auto',
                          'sparse_weight', braid_store.default_weight(fusion, 'sparse'))
    -- A preset's weights are tuned for convex. rrf and max do not divide weights by their sum, and take their defaults.
    || case when fusion in ('rrf', 'max')
            then jsonb_build_object('full_text_weight', braid_store.default_weight(fusion, 'full_text'),
                                    'semantic_weight', braid_store.default_weight(fusion, 'semantic'))
            else '{}' end;
end
$$;

comment on function braid_store.ranking_preset(text, text) is
  'Return the ranking settings of a preset: prose, conversation, code or rrf. With the fusion rrf or max, the weights '
  'are the fusion''s defaults. Raise 22023 for another name, and for the preset rrf with another fusion.';
