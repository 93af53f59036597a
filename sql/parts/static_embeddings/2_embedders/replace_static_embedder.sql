-- role: administrator
-- tenants: all
-- Embedders are defined for all tenants.
create or replace function braid_store.replace_static_embedder(
  name text,
  tokens text[],
  embeddings @vector@.halfvec[],
  source_model text,
  letters jsonb,
  append boolean
)
returns int
language plpgsql
volatile
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  c_max_tokens constant int := 200000;
  c_max_dimensions constant int := 4000; -- A collection allows no more.
  v_append boolean := coalesce(append, false);
  v_dimensions int := (select min(@vector@.vector_dims(e)) from unnest(embeddings) e);
  v_embedder braid_store.static_embedders;
  v_user text;
  v_wrong record;
  v_count int;
begin
  if coalesce(octet_length(replace_static_embedder.name), 0) not between 1 and 255 then
    raise exception 'name is %', coalesce('''' || left(replace_static_embedder.name, 100) || '''', 'null')
      using errcode = '22023', hint = 'Use 1 to 255 bytes.';
  elsif octet_length(replace_static_embedder.source_model) not between 1 and 255
        or replace_static_embedder.source_model = replace_static_embedder.name then
    raise exception 'source_model is ''%''', left(replace_static_embedder.source_model, 100)
      using errcode = '22023', hint = 'Name another model than the embedder, in 1 to 255 bytes, or give null.';
  elsif cardinality(tokens) is distinct from cardinality(embeddings) and tokens is not null then
    raise exception 'tokens has % elements, embeddings %', cardinality(tokens), coalesce(cardinality(embeddings), 0)
      using errcode = '22023', hint = 'Give one vector for each token, in the same order.';
  end if;
  -- Two loaders would put their tokens into one table.
  lock table only braid_store.static_embedders in share row exclusive mode;
  -- Wait for transactions about to give it to a collection (extend_check_settings_static_embeddings).
  select e.* into v_embedder
  from braid_store.static_embedders e where e.name = replace_static_embedder.name
  for update;
  v_user := (
    select min(c.name)
    from braid_store.collections c
    join braid_store.vector_spaces s on s.id = c.vector_space_id
    where v_embedder.name in (c.parts ->> 'static_embedder', s.embedding_model));
  if v_user is not null then
    raise exception 'collection "%" uses static embedder "%"', v_user, replace_static_embedder.name
      using errcode = '22023',
            hint = format('Its stored vectors come from this table. Store the new table under another name, and move '
                          'the collection with braid.start_model_change; if it only embeds queries, call '
                          'braid.set_ranking(%L, ''{"static_embedder": null}'') first.', v_user);
  elsif tokens is null then
    delete from braid_store.static_embedders e where e.id = v_embedder.id;
    return 0;
  end if;

  if cardinality(tokens) = 0 then
    raise exception 'tokens is empty'
      using errcode = '22023', hint = 'Give the tokens, or null to remove the embedder.';
  elsif v_append and v_embedder.id is null then
    raise exception 'static embedder "%" does not exist', left(replace_static_embedder.name, 255)
      using errcode = '42704', hint = 'Give the first tokens without append; they make the embedder.';
  elsif v_append and coalesce(current_setting('braid.loading_static_embedder', true), '') <> v_embedder.id::text then
    -- Until its transaction ends, nobody can use an embedder that has come in part.
    raise exception 'static embedder "%" was stored by another transaction', v_embedder.name
      using errcode = '22023',
            hint = 'Store all pieces in one transaction, the first without append. Without it, a table that exists is '
                   'replaced.';
  elsif v_append and source_model <> coalesce(v_embedder.source_model, '') then
    raise exception 'source_model is "%", and static embedder "%" is of %', left(source_model, 255), v_embedder.name,
                    coalesce('"' || v_embedder.source_model || '"', 'none')
      using errcode = '22023', hint = 'Give pieces of one model, each with the same source_model.';
  elsif v_dimensions > c_max_dimensions then
    raise exception 'embeddings: the vectors have % dimensions, more than %', v_dimensions, c_max_dimensions
      using errcode = '22023', hint = 'Use a model with fewer dimensions, or cut its vectors.';
  end if;
  select t.token, @vector@.vector_dims(t.embedding) as dimensions,
         t.token is null or octet_length(t.token) not between 1 and 255 or t.token ~ E'\\s' as is_wrong_token
  into v_wrong
  from unnest(tokens, embeddings) t (token, embedding)
  where t.token is null or octet_length(t.token) not between 1 and 255 or t.token ~ E'\\s'
     or t.embedding is null or @vector@.vector_dims(t.embedding) <> v_dimensions
     or v_append and @vector@.vector_dims(t.embedding) is distinct from v_embedder.dimensions
  limit 1;
  if found and v_wrong.is_wrong_token then
    raise exception 'tokens has the token %', coalesce('''' || left(v_wrong.token, 100) || '''', 'null')
      using errcode = '22023', hint = 'A token has 1 to 255 bytes and no white space.';
  elsif found and v_wrong.dimensions is null then
    raise exception 'embeddings: the vector of token "%" is null', v_wrong.token
      using errcode = '22023', hint = 'Give one vector for each token, in the same order.';
  elsif found then
    raise exception 'embeddings: the vector of token "%" has % dimensions, others have %', v_wrong.token,
                    v_wrong.dimensions, case when v_append then v_embedder.dimensions else v_dimensions end
      using errcode = '22023', hint = 'Give vectors of one model, all with the same dimensions.';
  end if;
  select t.token, exists (select from braid_store.static_embedder_tokens o
                          where v_append and o.embedder_id = v_embedder.id and o.token = t.token) as is_stored
  into v_wrong
  from unnest(tokens) t (token)
  group by t.token
  having count(*) > 1 or exists (select from braid_store.static_embedder_tokens o
                                 where v_append and o.embedder_id = v_embedder.id and o.token = t.token)
  limit 1;
  if found then
    raise exception 'tokens has the token ''%'' %', left(v_wrong.token, 100),
                    case when v_wrong.is_stored then 'of an earlier piece' else 'twice' end
      using errcode = '22023', hint = 'Give each token once, with one vector.';
  end if;
  select l.value into v_wrong
  from jsonb_array_elements(case jsonb_typeof(letters) when 'array' then letters else '[]' end) l (value)
  where not coalesce(jsonb_typeof(l.value) = 'array' and jsonb_array_length(l.value) = 3
                       and braid_store.is_number(l.value -> 0, 128, 1114111)
                       and braid_store.is_number(l.value -> 1, 128, 1114111)
                       and concat(l.value -> 0, l.value -> 1) !~ '[^0-9]'
                       and jsonb_typeof(l.value -> 2) in ('string', 'null'), false)
     or case when jsonb_typeof(l.value -> 0) = 'number' then (l.value -> 0)::numeric > (l.value -> 1)::numeric end
  limit 1;
  if found or jsonb_typeof(letters) not in ('array', 'null') then
    raise exception 'letters has %', case when found then left(v_wrong.value::text, 100)
      else 'a JSON ' || jsonb_typeof(letters) end
      using errcode = '22023', hint = 'Give an array of [first code, last code, replacement or null], such as '
                                      '[[768, 879, ""]]; the codes are 128 to 1114111.';
  end if;
  select o.value into v_wrong
  from (
    select l.value, (l.value -> 0)::int <= max((l.value -> 1)::int) over (
             order by (l.value -> 0)::int rows between unbounded preceding and 1 preceding) as overlaps
    from (
      select e.value from jsonb_array_elements(coalesce(nullif(letters, 'null'), '[]')) e (value)
      union all
      select jsonb_build_array(o.first_code, o.last_code, o.replacement) from braid_store.static_embedder_letters o
      where v_append and o.embedder_id = v_embedder.id
    ) l
  ) o
  where o.overlaps
  limit 1;
  if found then
    raise exception 'letters has codes of % twice', v_wrong.value
      using errcode = '22023', hint = 'Give each code in one range.';
  end if;

  if not v_append then
    delete from braid_store.static_embedders e where e.id = v_embedder.id;
    insert into braid_store.static_embedders as e (name, source_model, dimensions, longest_token)
    values (replace_static_embedder.name, replace_static_embedder.source_model, v_dimensions, 0)
    returning e.* into v_embedder;
    perform set_config('braid.loading_static_embedder', v_embedder.id::text, true);
  end if;
  insert into braid_store.static_embedder_tokens (embedder_id, token, embedding)
  select v_embedder.id, t.token, t.embedding from unnest(tokens, embeddings) t (token, embedding);
  insert into braid_store.static_embedder_letters (embedder_id, first_code, last_code, replacement)
  select v_embedder.id, (l.value -> 0)::int, (l.value -> 1)::int, l.value ->> 2
  from jsonb_array_elements(coalesce(nullif(letters, 'null'), '[]')) l (value);
  select count(*) into v_count from braid_store.static_embedder_tokens t where t.embedder_id = v_embedder.id;
  if v_count > c_max_tokens then
    raise exception 'static embedder "%" would have % tokens, more than %', replace_static_embedder.name, v_count,
      c_max_tokens
      using errcode = '54000', hint = 'Leave out tokens that texts do not use.';
  end if;
  update braid_store.static_embedders e
  set longest_token = (
    select max(length(regexp_replace(t.token, '^##(?=.)', ''))) from braid_store.static_embedder_tokens t
    where t.embedder_id = v_embedder.id)
  where e.id = v_embedder.id;
  return v_count;
end
$$;

comment on function braid_store.replace_static_embedder(text, text[], @vector@.halfvec[], text, jsonb, boolean) is
  'Do the work of braid.set_static_embedder.';
