-- role: administrator
-- tenants: all
-- Collections are defined for all tenants.
create or replace function braid_store.return_to_ranking(collection text, version int, reason text)
returns int
language plpgsql
volatile
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  c_most_characters constant int := 1000;
  v_old braid_store.collections := braid_store.find_collection(return_to_ranking.collection);
  v_ranking jsonb;
begin
  if length(return_to_ranking.reason) > c_most_characters then
    raise exception 'reason is % characters long', length(return_to_ranking.reason)
      using errcode = '22023', hint = format('Use at most %s, or null.', c_most_characters);
  end if;
  v_old := braid_store.lock_definition(v_old);
  select r.ranking into v_ranking
  from braid_store.ranking_versions r
  where r.collection_id = v_old.id and r.version = return_to_ranking.version;
  if not found then
    raise exception 'collection "%" has no version % of its ranking', v_old.name,
      coalesce(return_to_ranking.version::text, 'null')
      using errcode = '42704', hint = 'Choose a version that braid.list_rankings shows: the newest 100 are kept.';
  end if;
  return braid_store.write_ranking(v_old, braid_store.rank_as(v_old, v_ranking), return_to_ranking.reason, null,
                                   return_to_ranking.version);
end
$$;

comment on function braid_store.return_to_ranking(text, int, text) is 'Do the work of braid.restore_ranking.';
