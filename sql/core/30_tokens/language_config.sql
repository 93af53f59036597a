create or replace function braid_store.language_config(language text, text_config text)
returns text
language sql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  select case when language_config.language is null then language_config.text_config
              else coalesce((
                select c.cfgname::text
                from pg_ts_config c
                where c.cfgnamespace = 'pg_catalog'::regnamespace
                  and c.cfgname = coalesce(
                    -- The keys are ISO 639-1 codes, which a region may follow: de, pt-BR.
                    '{"ar": "arabic", "ca": "catalan", "da": "danish", "de": "german", "el": "greek", "en": "english",
                      "es": "spanish", "et": "estonian", "eu": "basque", "fi": "finnish", "fr": "french", "ga": "irish",
                      "hi": "hindi", "hu": "hungarian", "hy": "armenian", "id": "indonesian", "it": "italian",
                      "lt": "lithuanian", "ne": "nepali", "nl": "dutch", "no": "norwegian", "pl": "polish",
                      "pt": "portuguese", "ro": "romanian", "ru": "russian", "sr": "serbian", "sv": "swedish",
                      "ta": "tamil", "tr": "turkish", "yi": "yiddish"}'::jsonb
                      ->> substring(lower(language_config.language collate "C") from '^[a-z]{2}(?=$|[-_])'),
                    lower(language_config.language collate "C"))
              ), language_config.text_config) end;
$$;

comment on function braid_store.language_config(text, text) is
  'Return the text search configuration of a language, given by its name (german) or ISO code (de). If the server '
  'has none for it, return text_config, the default.';
