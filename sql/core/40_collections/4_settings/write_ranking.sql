create or replace function braid_store.write_ranking(
  old braid_store.collections,
  new braid_store.collections,
  reason text,
  evaluation jsonb,
  restored_version int
)
returns int
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  c_most_versions constant int := 100;
  v_before jsonb := braid_store.ranking_of(old);
  v_after jsonb := braid_store.ranking_of(new);
  v_last record;
  v_version int;
begin
  if new.parts is not null then
    perform braid_store.extend_check_settings(new);
  end if;

  select r.version, r.ranking into v_last
  from braid_store.ranking_versions r
  where r.collection_id = old.id
  order by r.version desc
  limit 1;
  v_version := coalesce(v_last.version, 0);
  -- The settings may have changed without this function since the newest version.
  if (v_before @> v_last.ranking) is not true then
    v_version := v_version + 1;
    insert into braid_store.ranking_versions (collection_id, version, ranking, previous)
    values (old.id, v_version, v_before, v_last.ranking);
  end if;
  if v_after <> v_before then
    update braid_store.collections c
    set k1 = new.k1, b = new.b, title_weight = new.title_weight, full_text_weight = new.full_text_weight,
        semantic_weight = new.semantic_weight, rrf_k = new.rrf_k, fusion = new.fusion,
        normalisation = new.normalisation, neighbour_weight = new.neighbour_weight,
        document_weight = new.document_weight, question_penalty = new.question_penalty,
        speaker_weight = new.speaker_weight, smoothing = new.smoothing, statistics_scope = new.statistics_scope,
        name_weight = new.name_weight, bm25_variant = new.bm25_variant, sparse_weight = new.sparse_weight,
        typos = new.typos, parts = new.parts
    where c.id = new.id;
    if (new.k1, new.b, new.title_weight) is distinct from (old.k1, old.b, old.title_weight) then
      perform braid_store.note_collection(new.id);
    end if;
    v_version := v_version + 1;
    insert into braid_store.ranking_versions (
      collection_id, version, ranking, previous, login, role, changed_at, reason, evaluation, restored_version)
    values (
      new.id, v_version, v_after, v_before, session_user, nullif(current_setting('role'), 'none'), clock_timestamp(),
      write_ranking.reason, write_ranking.evaluation, write_ranking.restored_version);
  end if;
  delete from braid_store.ranking_versions r
  where r.collection_id = new.id and r.version <= v_version - c_most_versions;
  return v_version;
end
$$;

comment on function braid_store.write_ranking(braid_store.collections, braid_store.collections, text, jsonb, int) is
  'Change how a collection ranks, store the new ranking as a version, and return its number. The caller has locked '
  'old (lock_definition). The former ranking becomes a version, too, unless it is the newest one: the first change '
  'finds no version, and settings may have changed without this function. If nothing changes, no version is added. '
  'The newest 100 are kept.';
