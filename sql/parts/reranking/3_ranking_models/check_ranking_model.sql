create or replace function braid_store.check_ranking_model(model jsonb, argument_name text)
returns void
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  c_max_bytes constant int := 500000;
  c_max_learned_bytes constant int := 20000;
  c_most_trees constant int := 500;
  c_most_nodes constant int := 5000;
  c_most_in_tree constant int := 63;
  -- Beyond these limits, sums and products might leave the range of float8.
  c_least constant float8 := 1e-100;
  c_most constant float8 := 1e100;
  v_model jsonb := check_ranking_model.model;
  c_keys constant text[] := '{version,mode,features,intercept,weights,trees,learned,checksum}';
  v_count int;
  v_key text;
  v_problem text;
  v_hint text := 'Give what pgbraid learn wrote, or see docs/guide/learning-to-rank.md for the keys of a model.';
begin
  if jsonb_typeof(v_model) is distinct from 'object' then
    v_problem := format('is %s', coalesce('a JSON ' || jsonb_typeof(v_model), 'null'));
  elsif octet_length(v_model::text) > c_max_bytes then
    raise exception '% has % bytes, more than %', argument_name, octet_length(v_model::text), c_max_bytes
      using errcode = '54000', hint = 'Learn a model of fewer or smaller trees.';
  else
    select k into v_key from jsonb_object_keys(v_model) k where k <> all (c_keys) order by k limit 1;
    v_count := case jsonb_typeof(v_model -> 'features') when 'array' then jsonb_array_length(v_model -> 'features') end;
    v_problem := case
      when v_model -> 'version' is distinct from '1'
        then format('has the version %s', coalesce(left((v_model -> 'version')::text, 100), 'null'))
      when v_key is not null then format('has the unknown key "%s"', left(v_key, 100))
      when (v_model ->> 'mode' in ('hybrid', 'full_text', 'semantic')) is not true
        then format('has the mode %s', coalesce(left((v_model -> 'mode')::text, 100), 'null'))
      when (v_count between 1 and cardinality(braid_store.known_ranking_features())) is not true
        then 'has no features, or too many'
      when not v_model ?| '{weights,trees}' then 'has neither weights nor trees'
      when v_model ? 'intercept' and not braid_store.is_number(v_model -> 'intercept', -c_most, c_most)
        then format('has the intercept %s', left((v_model -> 'intercept')::text, 100))
      when v_model ? 'learned' and (jsonb_typeof(v_model -> 'learned') <> 'object'
                                    or octet_length((v_model -> 'learned')::text) > c_max_learned_bytes)
        then format('has something else under learned than an object of at most %s bytes', c_max_learned_bytes)
    end;
    if v_model ->> 'version' ~ '^[0-9]+$' and v_model -> 'version' <> '1' then
      v_hint := 'This version of pgbraid reads models of version 1.';
    end if;
  end if;

  if v_problem is null then
    select format('has the feature %s', left(f.value::text, 100)),
           'Features are, each once: ' || array_to_string(braid_store.known_ranking_features(), ', ') || '.'
    into v_problem, v_hint
    from jsonb_array_elements(v_model -> 'features') with ordinality f (value, place)
    where (jsonb_typeof(f.value) = 'string' and f.value #>> '{}' = any (braid_store.known_ranking_features())
           and not exists (select from jsonb_array_elements(v_model -> 'features') with ordinality e (value, place)
                           where e.value = f.value and e.place < f.place)) is not true
    order by f.place
    limit 1;
  end if;
  if v_problem is null and v_model ? 'weights' then
    v_hint := format('Give one number for each feature: 0, or one whose amount is %s to %s.', c_least, c_most);
    if jsonb_typeof(v_model -> 'weights') <> 'array' or jsonb_array_length(v_model -> 'weights') <> v_count then
      v_problem := format('has weights that are no array of %s numbers, as many as features', v_count);
    else
      select format('has the weight %s', left(w.value::text, 100)) into v_problem
      from jsonb_array_elements(v_model -> 'weights') w
      where not braid_store.is_number(w.value, -c_most, c_most)
            or not (w.value = '0' or abs((w.value #>> '{}')::float8) >= c_least)
      limit 1;
    end if;
  end if;
  if v_problem is null and v_model ? 'trees' then
    v_hint := 'A tree has the arrays feature, threshold, left and right, one element for each node, and value, one '
      'for each leaf; '
              'see docs/guide/learning-to-rank.md.';
    if jsonb_typeof(v_model -> 'trees') <> 'array' then
      v_problem := 'has trees that are no array';
    elsif jsonb_array_length(v_model -> 'trees') > c_most_trees then
      raise exception '% has % trees, more than %', argument_name, jsonb_array_length(v_model -> 'trees'), c_most_trees
        using errcode = '54000', hint = 'Learn a model of fewer trees.';
    else
      select format('has in tree %s %s', t.place, p.problem) into v_problem
      from jsonb_array_elements(v_model -> 'trees') with ordinality t (value, place),
           lateral (
             select case when jsonb_typeof(t.value -> 'feature') = 'array' then jsonb_array_length(t.value -> 'feature')
               end as nodes
             offset 0
           ) n,
           lateral (
             select case
               when jsonb_typeof(t.value) <> 'object' then 'no object'
               when not t.value ?& '{feature,threshold,left,right,value}'
                    or t.value - '{feature,threshold,left,right,value}'::text[] <> '{}' then 'other keys'
               when (n.nodes between 0 and c_most_in_tree) is not true
                 then format('nodes that are no array of at most %s', c_most_in_tree)
               when exists (select from jsonb_each(t.value) e where jsonb_typeof(e.value) <> 'array')
                 then 'something that is no array'
               when exists (select from jsonb_each(t.value) e
                            where jsonb_array_length(e.value) <> n.nodes + (e.key = 'value')::int)
                 then 'arrays of lengths that do not go together'
               when exists (select from jsonb_array_elements(t.value -> 'feature') e
                            where not braid_store.is_whole_number(e.value, 0, v_count - 1))
                              then 'a feature that the model does not have'
               when exists (select from jsonb_array_elements((t.value -> 'threshold') || (t.value -> 'value')) e
                            where not braid_store.is_number(e.value, -c_most, c_most))
                              then 'a threshold or a value that is no number'
               when exists (select from jsonb_array_elements((t.value -> 'left') || (t.value -> 'right')) e
                            where not braid_store.is_whole_number(e.value, -n.nodes - 1, n.nodes - 1))
                              then 'a child that it does not have'
               -- This order makes the nodes a tree: no node is its own descendant, and each is reached once.
               when exists (select from rows from (jsonb_array_elements(t.value -> 'left'),
                 jsonb_array_elements(t.value -> 'right'))
                                          with ordinality e (left_child, right_child, place)
                            where (e.left_child #>> '{}')::float8 between 0 and e.place - 1
                                  or (e.right_child #>> '{}')::float8 between 0 and e.place - 1)
                    or (select count(distinct e.value) <> 2 * n.nodes
                        from jsonb_array_elements((t.value -> 'left') || (t.value -> 'right')) e)
                 then 'a child that does not come after its parent, or has two'
             end as problem
             offset 0
           ) p
      where p.problem is not null
      order by t.place
      limit 1;
      if v_problem is null
         and (select sum(jsonb_array_length(t.value -> 'feature'))
           from jsonb_array_elements(v_model -> 'trees') t) > c_most_nodes then
        raise exception '% has trees of more than % nodes', argument_name, c_most_nodes
          using errcode = '54000', hint = 'Learn a model of fewer or smaller trees.';
      end if;
    end if;
  end if;
  if v_problem is null and v_model ? 'checksum'
     and v_model ->> 'checksum' is distinct from
         encode(sha256(convert_to((v_model - 'checksum')::text, 'UTF8')), 'hex') then
    v_problem := 'is not as it was written: its checksum differs';
    v_hint := 'Learn the model again, or use an unchanged copy. To skip this check, remove the key checksum.';
  end if;
  if v_problem is not null then
    raise exception '% %', argument_name, v_problem using errcode = '22023', hint = v_hint;
  end if;
end
$$;

comment on function braid_store.check_ranking_model(jsonb, text) is
  'Check a ranking model. Raise 22023 if it is malformed or does not match its checksum, and 54000 if it is too '
  'large. checksum: the SHA-256, in hex, of the jsonb text of the model without the checksum. argument_name: the '
  'name of the model in messages.';
