-- role: administrator
-- tenants: all
-- Encoders are defined for all tenants.
create or replace function braid_store.replace_sparse_encoder(name text, weights jsonb, append boolean)
returns int
language plpgsql
volatile
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  c_max_terms constant int := 200000;
  v_user text;
  v_wrong record;
  v_encoder_id int;
  v_count int;
begin
  if coalesce(octet_length(replace_sparse_encoder.name), 0) not between 1 and 255 then
    raise exception 'name is %', coalesce('''' || left(replace_sparse_encoder.name, 100) || '''', 'null')
      using errcode = '22023', hint = 'Use 1 to 255 bytes.';
  elsif weights is null or weights = 'null' then
    -- Wait for transactions about to give it to a collection (extend_check_settings_sparse_encoders).
    perform from braid_store.sparse_encoders e where e.name = replace_sparse_encoder.name for update;
    select min(c.name) into v_user
    from braid_store.collections c where c.parts ->> 'sparse_encoder' = replace_sparse_encoder.name;
    if v_user is not null then
      raise exception 'collection "%" uses sparse encoder "%"', v_user, replace_sparse_encoder.name
        using errcode = '22023', hint = 'Remove the encoder from the collection first: call braid.set_ranking with '
                                        '{"sparse_encoder": null}.';
    end if;
    delete from braid_store.sparse_encoders e where e.name = replace_sparse_encoder.name;
    return 0;
  elsif jsonb_typeof(weights) <> 'object' then
    raise exception 'weights is a JSON %', jsonb_typeof(weights)
      using errcode = '22023',
        hint = 'Give an object of terms and their weights, such as {"harbour": 5.1, "##s": 0.2}.';
  elsif (select count(*) from jsonb_object_keys(weights)) > c_max_terms then
    raise exception 'weights has % terms, more than %', (select count(*) from jsonb_object_keys(weights)), c_max_terms
      using errcode = '54000', hint = 'Leave out terms that queries do not use.';
  end if;
  select w.key, w.value, octet_length(w.key) not between 1 and 255 or strpos(w.key,
    E'\n') > 0 as is_wrong_term into v_wrong
  from jsonb_each(weights) w
  where octet_length(w.key) not between 1 and 255 or strpos(w.key, E'\n') > 0
     or case when jsonb_typeof(w.value) = 'number'
             then not ((w.value)::numeric = 0 or (w.value)::numeric between 1e-6 and 1e6) else true end
  limit 1;
  if found and v_wrong.is_wrong_term then
    raise exception 'weights has a term of % bytes%', octet_length(v_wrong.key),
                    case when strpos(v_wrong.key, E'\n') > 0 then ' with a line break' else '' end
      using errcode = '22023', hint = 'A term has 1 to 255 bytes and no line break.';
  elsif found then
    raise exception 'weights: the weight of "%" is %', left(v_wrong.key, 100), left(v_wrong.value::text, 100)
      using errcode = '22023', hint = 'Give 0, or a number from 1e-6 to 1e6.';
  end if;

  -- Lock the row against other sessions that store the same encoder.
  insert into braid_store.sparse_encoders as e (name, max_piece_length) values (replace_sparse_encoder.name, 0)
  on conflict on constraint sparse_encoders_name_key do update set max_piece_length = e.max_piece_length
  returning e.id into v_encoder_id;
  if not coalesce(append, false) then
    delete from braid_store.sparse_encoder_terms t where t.encoder_id = v_encoder_id;
  end if;
  insert into braid_store.sparse_encoder_terms (encoder_id, term, weight)
  select v_encoder_id, w.key, (w.value)::numeric::real from jsonb_each(weights) w
  on conflict on constraint sparse_encoder_terms_pkey do update set weight = excluded.weight;
  select count(*) into v_count from braid_store.sparse_encoder_terms t where t.encoder_id = v_encoder_id;
  if v_count > c_max_terms then
    raise exception 'sparse encoder "%" would have % terms, more than %', replace_sparse_encoder.name, v_count,
      c_max_terms
      using errcode = '54000', hint = 'Leave out terms that queries do not use.';
  end if;
  update braid_store.sparse_encoders e
  set max_piece_length = coalesce((
    select max(length(regexp_replace(t.term, '^##(?=.)', ''))) from braid_store.sparse_encoder_terms t
    where t.encoder_id = v_encoder_id), 0)
  where e.id = v_encoder_id;
  return v_count;
end
$$;

comment on function braid_store.replace_sparse_encoder(text, jsonb, boolean) is
  'Do the work of braid.set_sparse_encoder.';
