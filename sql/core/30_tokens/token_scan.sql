create or replace function braid_store.token_scan(words text[])
returns table (word_number int, token_number int, token text, token_class text)
language plpgsql
stable
parallel safe
security invoker
rows 1000
set search_path = pg_catalog, pg_temp
as $$
declare
  c_unspaced constant text := braid_store.script_letters('unspaced');
  c_hangul constant text := braid_store.script_letters('hangul');
  c_emoji constant text := braid_store.script_letters('emoji');
  c_flag constant text := braid_store.script_letters('flag');
  -- These characters are neither letters nor digits: symbols of ASCII and Latin-1, punctuation of single scripts,
  -- general punctuation and symbols, private use, specials and tags.
  c_symbol constant text :=
    E'\\u0001-\\u002f\\u003a-\\u0040\\u005b-\\u005e\\u0060\\u007b-\\u00a9\\u00ab-\\u00b4\\u00b6-\\u00b9'
    '\\u00bb-\\u00bf\\u00d7\\u00f7\\u037e\\u0387\\u055a-\\u055f\\u0589-\\u058f\\u05be\\u05c0\\u05c3\\u05c6'
    '\\u0600-\\u060f\\u061b-\\u061f\\u066a-\\u066d\\u06d4\\u0700-\\u070d\\u0964-\\u0965\\u0970\\u0df4\\u0e2f\\u0e3f'
    '\\u0e4f\\u0e5a-\\u0e7f\\u0f01-\\u0f17\\u0f34-\\u0f3d\\u104a-\\u104f\\u10fb\\u1361-\\u1368\\u1400'
    '\\u166d-\\u166e\\u1680\\u169b-\\u169c\\u16eb-\\u16ed\\u1735-\\u1736\\u17d4-\\u17d6\\u17d8-\\u17db'
    '\\u1800-\\u180e\\u2000-\\u200c\\u200e-\\u2bff\\u2cf9-\\u2cff\\u2e00-\\u2e7f\\u2fe0-\\u3004\\u3008-\\u3020'
    '\\u3030\\u303d-\\u303f\\u30a0\\u30fb\\ud800-\\uf8ff\\ufd3e-\\ufd4f\\ufe00-\\ufe6f\\ufeff-\\uff0f'
    '\\uffe0-\\uffff\\U00010100-\\U0001013f\\U0001d000-\\U0001d3ff\\U000e0000-\\U0010ffff';
  -- The first characters are replaced. Keyboards for Persian, Urdu and Kurdish type some Arabic letters in another form
  -- (kaf, yeh, heh), and Arabic itself has variants (alef maksura, alef wasla). Typographic apostrophes, letters typed
  -- as apostrophes, dashes, and digits of other scripts with their separators become ASCII. The last characters are
  -- dropped: invisible characters, gershayim, the dagger alef and skin tones.
  c_irregular constant text := 'یکىەہھڪےۀۂۃۓٱ’‘ʼʹʻʽʾʿꞌ׳‐‑‒–−־֊٠١٢٣٤٥٦٧٨٩۰۱۲۳۴۵۶۷۸۹٫٬०१२३४५६७८९'
    '০১২৩৪৫৬৭৮৯੦੧੨੩੪੫੬੭੮੯૦૧૨૩૪૫૬૭૮૯୦୧୨୩୪୫୬୭୮୯௦௧௨௩௪௫௬௭௮௯౦౧౨౩౪౫౬౭౮౯೦೧೨೩೪೫೬೭೮೯൦൧൨൩൪൫൬൭൮൯'
    || E'\u05f4\u0670\u00ad\u034f\u061c\u0640\u180b\u180c\u180d\u180e\u200c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2060\u2061'
    '\u2062\u2063\u2064\u2066\u2067\u2068\u2069\ufe00\ufe01\ufe02\ufe03\ufe04\ufe05\ufe06\ufe07\ufe08\ufe09\ufe0a'
    '\ufe0b\ufe0c\ufe0d\ufe0e\ufe0f\ufeff\U0001f3fb\U0001f3fc\U0001f3fd\U0001f3fe\U0001f3ff';
  c_regular constant text := 'يكيهههكيههةيا' || repeat('''', 10) || '-------' || '0123456789' || '0123456789' || '.,'
    || repeat('0123456789', 9);
  c_letter constant text := '[^' || c_symbol || c_unspaced || c_hangul || c_emoji || c_flag || ']';
  c_pattern constant text :=
    -- A URL ends before white space, quotation marks or angle brackets.
    E'(?:[A-Za-z][A-Za-z0-9+.-]*://|www\\.)(?:' || c_letter || '|[]!#$%&''()*+,./:;=?@[~-])+'
    -- Words may be joined by connectors, with an optional sign before and after: .NET, $19.99, a->b, C++, 50%. Several
    -- points in a row are no connector.
    || E'|\\.{2,}'
    || '|[#@$£€¥₹.]?(?:[0-9]{1,3}(?:,[0-9]{3})+|' || c_letter || '+)'
    || E'(?:(?:[.''-]|[/\\\\:@&+#$%]{1,3}\\.?|->)' || c_letter || E'+)*(?:\\+\\+|[+#%£€¥])?'
    || '|[' || c_hangul || ']+'
    || '|[' || c_flag || ']{1,2}'
    || '|[' || c_emoji || E'](?:\\u200d[' || c_emoji || '])*';
  -- This pattern does the same for ASCII words without a URL. Each match rebuilds the part of the automaton that it
  -- uses, and this one is small.
  c_ascii_pattern constant text :=
    E'\\.{2,}'
    '|[#@$.]?(?:[0-9]{1,3}(?:,[0-9]{3})+|[0-9A-Za-z_]+)'
    '(?:(?:[.''-]|[/\\\\:@&+#$%]{1,3}\\.?|->)[0-9A-Za-z_]+)*(?:\\+\\+|[+#%])?';
  -- Every token has at least one of these characters.
  c_content constant text :=
    E'[^\\u0001-\\u002f\\u003a-\\u0040\\u005b-\\u0060\\u007b-\\u00a9\\u0300-\\u036f\\u064b-\\u065f\\u200d]';
begin
  return query
  with cleaned as materialized (
    select n.word_number, n.word, not n.is_ascii and n.word ~ ('[' || c_unspaced || ']') as has_run,
      case when n.is_ascii and strpos(n.word, '://') = 0 and strpos(n.word, 'www.') = 0 then c_ascii_pattern
           else c_pattern end as pattern
    from (
      select n.word_number, n.is_ascii,
        -- translate() compares each letter with a long list, so it is called only where needed.
        case when n.is_ascii then n.word
             when n.word ~ ('[' || c_irregular || ']') then translate(n.word, c_irregular, c_regular)
             else n.word end as word
      from (
        select u.word_number, u.is_ascii, case when u.is_ascii then u.word else normalize(u.word, nfkc) end as word
        from (
          select u.word_number::int as word_number, u.word, octet_length(u.word) = length(u.word) as is_ascii
          from unnest(token_scan.words) with ordinality as u (word, word_number)
          where u.word is not null
        ) as u
        offset 0 -- so that each word is normalised only once
      ) as n
      offset 0
    ) as n
  ), sections as materialized (
    -- A run of unspaced script is always a token, and a text may consist almost only of runs. All runs are cut out at
    -- once, and become every second section, because a match of the long pattern is expensive.
    select w.word_number, s.section_number, s.section, s.section_number % 2 = 0 as is_run
    from cleaned w
    cross join lateral unnest(string_to_array(
        regexp_replace(replace(w.word, E'\u0001', ' ') collate "C", '[' || c_unspaced || ']+', E'\u0001\\&\u0001', 'g'),
        E'\u0001'
      )) with ordinality as s (section, section_number)
    where w.has_run
  )
  select s.word_number, s.token_number, s.token,
    case
      when s.is_run then 'unspaced'
      when s.token ~ '^(?:[A-Z]?[a-z]+|[A-Z]+s?)$' then 'word'
      when s.token ~ '^[0-9]+$' then 'number'
      when octet_length(s.token) = length(s.token) then 'compound'
      when s.token ~ ('^[' || c_hangul || ']') then 'hangul'
      when s.token ~ ('^[' || c_emoji || E']\\u200d') then 'compound'
      when s.token ~ E'[\\u0001-\\u0040\\u005b-\\u0060\\u007b-\\u00a9]|[a-z][A-Z]|[A-Z]{2}[a-rt-z]' then 'compound'
      else 'word'
    end
  from (
    select m.word_number, m.token_number, m.is_run,
      case
        when m.is_run then m.matched
        when m.matched ~ E'^[A-Za-z](?:\\.[A-Za-z])+$' then replace(m.matched, '.', '')
        when m.matched like '%,%' or m.matched ~ '^[0-9]{1,3}(?:_[0-9]{3})+$' then
          case when m.matched ~ '^(?:[^,]*://|www)' then m.matched else translate(m.matched, ',_', '') end
        else m.matched
      end as token
    from (
      select w.word_number, r.match_number::int as token_number, false as is_run, r.matches[1] as matched
      from cleaned w
      cross join lateral regexp_matches(w.word collate "C", w.pattern, 'g') with ordinality as r (matches, match_number)
      where not w.has_run
      union all
      select o.word_number, (row_number() over (order by o.word_number, o.section_number, o.match_number))::int,
        o.is_run,
        o.matched
      from (
        select s.word_number, s.section_number, 1::bigint as match_number, s.is_run, s.section as matched
        from sections s
        where s.is_run
        union all
        select s.word_number, s.section_number, r.match_number, s.is_run, r.matches[1]
        from sections s
        cross join lateral regexp_matches(s.section collate "C", c_pattern, 'g') with ordinality as r (matches,
          match_number)
        where not s.is_run and s.section ~ c_content
      ) as o
    ) as m
    where m.is_run
      or case when octet_length(m.matched) = length(m.matched) then m.matched ~ '[0-9A-Za-z]'
        else m.matched ~ c_content end
    offset 0 -- so that each token is made only once
  ) as s;
end
$$;

comment on function braid_store.token_scan(text[]) is
  E'Split words that stand between two spaces into tokens: URLs, words joined by connectors (. - _ '' / \\ : @ & + # '
  '$ % ->), runs of a script without spaces, runs of Hangul, and emoji. Everything else separates tokens. '
  'Apostrophes, dashes and compatibility forms are normalised (NFKC). The points of initials (U.S.) and separators '
  'of thousands are dropped. word_number: the word''s index in the array; nulls are skipped, and a word without '
  'tokens has no row. token_class is word, number, compound, unspaced or hangul.';
