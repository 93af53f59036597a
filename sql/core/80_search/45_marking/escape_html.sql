create or replace function braid_store.escape_html(plain text)
returns text
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
begin
  return replace(replace(replace(replace(replace(plain, '&', '&amp;'), '<', '&lt;'), '>', '&gt;'), '"', '&quot;'),
                 '''', '&#39;');
end
$$;

comment on function braid_store.escape_html(text) is
  'Escape a text for HTML, for use between tags and inside attributes.';
