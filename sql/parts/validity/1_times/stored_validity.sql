create or replace function braid_store.stored_validity(metadata jsonb, document_name text)
returns jsonb
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  v_metadata jsonb := metadata;
  v_key text;
  v_name text;
begin
  foreach v_key in array array['valid_from', 'valid_until', 'expires_at'] loop
    continue when not v_metadata ? v_key;
    v_name := format('%s of document "%s"', v_key, left(document_name, 100));
    if v_metadata -> v_key in ('null', to_jsonb(case v_key when 'valid_from' then '-' else '' end || 'infinity')) then
      v_metadata := v_metadata - v_key;
    else
      v_metadata := v_metadata
                    || jsonb_build_object(v_key, braid_store.read_instant(v_metadata -> v_key, v_name));
    end if;
  end loop;
  if (v_metadata ->> 'valid_from') collate "C" > v_metadata ->> 'valid_until' then
    raise exception 'valid_from of document "%" is %, later than valid_until, %', left(document_name, 100),
                    v_metadata ->> 'valid_from', v_metadata ->> 'valid_until'
      using errcode = '22023', hint = 'A document holds from valid_from up to valid_until: exchange the two, or leave '
                                      'one out.';
  end if;
  return v_metadata;
end
$$;

comment on function braid_store.stored_validity(jsonb, text) is
  'Return the metadata of a document with valid_from, valid_until and expires_at in the form of instant_text. A time '
  'that limits nothing (null, or an infinite one) loses its key. Raise 22023 for values that are no times, and for a '
  'valid_from that is later than valid_until.';
