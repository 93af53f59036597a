create or replace function braid_store.maintenance_task(task text, deadline timestamptz, is_bounded boolean)
returns jsonb
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  v_count bigint;
  v_done record;
begin
  case task
    when 'index_shards' then
      v_done := braid_store.index_shards(deadline, is_bounded);
      return jsonb_build_object('vector_steps', v_done.step_count, 'warnings', v_done.warnings,
                                -- The work is not complete after a step: only the next transaction sees what was
                                -- deleted meanwhile, and cleans up.
                                'complete', v_done.step_count = 0)
             || jsonb_strip_nulls(jsonb_build_object('seconds_needed', v_done.seconds_needed));
    when 'reap_collections' then
      v_count := braid_store.reap_collections(deadline);
      return jsonb_build_object('documents_reaped', v_count,
                                'complete', not exists (select from braid_store.dropped_collections));
    when 'reap_tenants' then
      v_count := braid_store.reap_tenants(deadline);
      return jsonb_build_object('documents_reaped', v_count,
                                'complete', not exists (select from braid_store.dropped_tenants));
    when 'drop_retired_shards' then
      v_count := braid_store.drop_retired_shards(deadline);
      return jsonb_build_object('shards_dropped', v_count);
    when 'note_parts' then
      return jsonb_build_object('complete', braid_store.note_parts(deadline));
    when 'maintain_parts' then
      v_done := braid_store.maintain_parts(deadline, is_bounded);
      return jsonb_build_object('merges', v_done.merges, 'segments_merged', v_done.segments,
                                'vector_steps', v_done.step_count, 'chunks_listed', v_done.listed_count,
                                'warnings', v_done.warnings, 'complete', v_done.is_complete)
             || jsonb_strip_nulls(jsonb_build_object('seconds_needed', v_done.seconds_needed));
    when 'empty_postings' then
      v_done := braid_store.empty_postings(deadline);
      return jsonb_build_object('postings_moved', v_done.moved_count, 'complete', v_done.is_complete);
    when 'move_vectors' then
      v_done := braid_store.move_vectors(deadline);
      return jsonb_build_object('vector_steps', v_done.step_count, 'warnings', v_done.warnings,
                                'complete', v_done.is_complete);
    when 'maintain_attributes' then
      v_done := braid_store.maintain_attributes(deadline);
      return jsonb_build_object('chunks_indexed', v_done.chunk_count, 'warnings', v_done.warnings,
                                'complete', v_done.is_complete);
    when 'rebuild_indexes' then
      v_done := braid_store.rebuild_indexes(deadline);
      return jsonb_build_object('warnings', v_done.warnings, 'complete', v_done.is_complete);
    when 'reap_spaces' then
      return jsonb_build_object('complete', braid_store.reap_spaces(deadline));
    else
      return braid_store.extend_task(task, deadline);
  end case;
end
$$;

comment on function braid_store.maintenance_task(text, timestamptz, boolean) is
  'Run one of the tasks of maintain_all. Return what it did, and in complete whether nothing is left.';
