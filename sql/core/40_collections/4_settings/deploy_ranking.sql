-- role: administrator
-- tenants: all
-- Collections are defined for all tenants.
create or replace function braid_store.deploy_ranking(
  collection text,
  ranking jsonb,
  reason text,
  evaluation jsonb,
  expected_ranking jsonb
)
returns int
language plpgsql
volatile
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  c_most_characters constant int := 1000;
  c_most_bytes constant int := 100000;
  v_old braid_store.collections := braid_store.find_collection(deploy_ranking.collection);
  v_changed record;
  v_evaluation jsonb;
begin
  perform braid_store.rank_as(v_old, deploy_ranking.ranking);
  if not (length(deploy_ranking.reason) between 1 and c_most_characters and deploy_ranking.reason ~ E'\\S') then
    raise exception 'reason is %', case when length(deploy_ranking.reason) > c_most_characters
                                        then format('%s characters long', length(deploy_ranking.reason))
                                        else '''' || deploy_ranking.reason || '''' end
      using errcode = '22023', hint = format('Say in 1 to %s characters why the ranking changes, or leave out '
                                             'reason.',
        c_most_characters);
  elsif jsonb_typeof(deploy_ranking.evaluation) not in ('object', 'null') then
    raise exception 'evaluation is a JSON %', jsonb_typeof(deploy_ranking.evaluation)
      using errcode = '22023', hint = 'Give an object, such as the result of an evaluation, or null.';
  elsif octet_length(deploy_ranking.evaluation::text) > c_most_bytes then
    raise exception 'evaluation has % bytes, more than %', octet_length(deploy_ranking.evaluation::text), c_most_bytes
      using errcode = '54000', hint = 'Keep only the figures behind the decision, such as the gain and its interval.';
  end if;
  if jsonb_typeof(deploy_ranking.expected_ranking) not in ('object', 'null') then
    raise exception 'expected_ranking is a JSON %', jsonb_typeof(deploy_ranking.expected_ranking)
      using errcode = '22023', hint = 'Give an object of settings that the collection must still have, or null.';
  end if;
  -- Queries belong to a tenant. Versions outlive tenants, and any administrator reads them.
  v_evaluation := braid_store.without_keys(nullif(deploy_ranking.evaluation, 'null'),
    '{queries,changed,query_text,rows,missed}');
  v_old := braid_store.lock_definition(v_old);
  if deploy_ranking.expected_ranking <> 'null' then
    select e.key, e.value, n.value as present into v_changed
    from jsonb_each(deploy_ranking.expected_ranking) e
    left join jsonb_each(braid_store.ranking_of(v_old)) n on n.key = e.key
    where n.value is distinct from e.value
    order by e.key
    limit 1;
    if found then
      raise exception 'expected_ranking has % %, and collection "%" has %', left(v_changed.key, 100),
        left(v_changed.value::text, 100),
                      v_old.name, coalesce(left(v_changed.present::text, 100), 'no such setting')
        using errcode = '22023',
          hint = 'See braid.list_rankings for who changed the ranking meanwhile, and why. Compare again with the '
                 'current ranking.';
    end if;
  end if;
  return braid_store.write_ranking(v_old, braid_store.rank_as(v_old, deploy_ranking.ranking), deploy_ranking.reason,
                                   v_evaluation, null);
end
$$;

comment on function braid_store.deploy_ranking(text, jsonb, text, jsonb, jsonb) is 'Do the work of braid.set_ranking.';
