create or replace function braid_store.prefix_pattern(typed text, fold_diacritics boolean)
returns text
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  c_variants constant text[] := array[
    'aàáâãäåāăąǎǟǡǻȁȃȧḁạảấầẩẫậắằẳẵặ', 'bḃḅḇ', 'cçćĉċčḉ', 'dďđðḋḍḏḑḓ', 'eèéêëēĕėęěȅȇȩḕḗḙḛḝẹẻẽếềểễệ', 'fḟ', 'gĝğġģǧǵḡ',
    'hĥħȟḣḥḧḩḫẖ', 'iìíîïĩīĭįıǐȉȋḭḯỉị', 'jĵǰ', 'kķǩḱḳḵ', 'lĺļľłḷḹḻḽ', 'mḿṁṃ', 'nñńņňǹṅṇṉṋ',
    'oòóôõöøōŏőǒơǫǭǿȍȏȫȭȯȱṍṏṑṓọỏốồổỗộớờởỡợ', 'pṕṗ', 'rŕŗřȑȓṙṛṝṟ', 'sśŝşšșſṡṣṥṧṩẛ', 'tţťŧțṫṭṯṱẗ',
    'uùúûüũūŭůűųǔưǖǘǚǜȕȗṳṵṷṹṻụủứừửữự', 'vṽṿ', 'wŵẁẃẅẇẉẘ', 'xẋẍ', 'yýÿŷȳẏẙỳỵỷỹ', 'zźżžẑẓẕ', 'ʒǯ',
    'αάἀἁἂἃἄἅἆἇὰᾀᾁᾂᾃᾄᾅᾆᾇᾰᾱᾲᾳᾴᾶᾷ', 'εέἐἑἒἓἔἕὲ', 'ηήἠἡἢἣἤἥἦἧὴᾐᾑᾒᾓᾔᾕᾖᾗῂῃῄῆῇ', 'ιίϊΐἰἱἲἳἴἵἶἷὶῐῑῒῖῗ', 'οόὀὁὂὃὄὅὸ', 'ρῤῥ',
    'υύϋΰὐὑὒὓὔὕὖὗὺῠῡῢῦῧ', 'ωώὠὡὢὣὤὥὦὧὼᾠᾡᾢᾣᾤᾥᾦᾧῲῳῴῶῷ', 'аӑӓ', 'гѓ', 'еѐёӗ', 'жӂӝ', 'зӟ', 'иѝйӣӥ', 'кќ', 'оӧ', 'уўӯӱӳ',
    'чӵ', 'ыӹ', 'эӭ', 'ії', 'ѵѷ', 'әӛ', 'өӫ', 'اآأإ', 'هة', 'وؤ', 'يئ'];
  c_capitals constant text[] := array[
    'AÀÁÂÃÄÅĀĂĄǍǞǠǺȀȂȦḀẠẢẤẦẨẪẬẮẰẲẴẶ', 'BḂḄḆ', 'CÇĆĈĊČḈ', 'DĎĐÐḊḌḎḐḒ', 'EÈÉÊËĒĔĖĘĚȄȆȨḔḖḘḚḜẸẺẼẾỀỂỄỆ', 'FḞ', 'GĜĞĠĢǦǴḠ',
    'HĤĦȞḢḤḦḨḪ', 'IÌÍÎÏĨĪĬĮİǏȈȊḬḮỈỊ', 'JĴ', 'KĶǨḰḲḴ', 'LĹĻĽŁḶḸḺḼ', 'MḾṀṂ', 'NÑŃŅŇǸṄṆṈṊ',
    'OÒÓÔÕÖØŌŎŐǑƠǪǬǾȌȎȪȬȮȰṌṎṐṒỌỎỐỒỔỖỘỚỜỞỠỢ', 'PṔṖ', 'RŔŖŘȐȒṘṚṜṞ', 'SŚŜŞŠȘṠṢṤṦṨ', 'TŢŤŦȚṪṬṮṰ',
    'UÙÚÛÜŨŪŬŮŰŲǓƯǕǗǙǛȔȖṲṴṶṸṺỤỦỨỪỬỮỰ', 'VṼṾ', 'WŴẀẂẄẆẈ', 'XẊẌ', 'YÝŸŶȲẎỲỴỶỸ', 'ZŹŻŽẐẒẔ', 'ƷǮ',
    'ΑΆἈἉἊἋἌἍἎἏᾈᾉᾊᾋᾌᾍᾎᾏᾸᾹᾺᾼ', 'ΕΈἘἙἚἛἜἝῈ', 'ΗΉἨἩἪἫἬἭἮἯᾘᾙᾚᾛᾜᾝᾞᾟῊῌ', 'ΙΊΪἸἹἺἻἼἽἾἿῘῙῚ', 'ΟΌὈὉὊὋὌὍῸ', 'ΡῬ', 'ΥΎΫὙὛὝὟῨῩῪ',
    'ΩΏὨὩὪὫὬὭὮὯᾨᾩᾪᾫᾬᾭᾮᾯῺῼ', 'АӐӒ', 'ГЃ', 'ЕЀЁӖ', 'ЖӁӜ', 'ЗӞ', 'ИЍЙӢӤ', 'КЌ', 'ОӦ', 'УЎӮӰӲ', 'ЧӴ', 'ЫӸ', 'ЭӬ', 'ІЇ',
    'ѴѶ', 'ӘӚ', 'ӨӪ', '', '', '', ''];
  -- Each begins the element at its place.
  c_letters constant text := 'abcdefghijklmnoprstuvwxyzʒαεηιορυωагежзикоучыэіѵәөاهوي';
  -- The first two letters of each may be written as one of the others.
  c_digraphs constant text[] := '{ssßẞ,aeæǣǽÆǢǼ,oeœŒ}';
  c_marks constant text := E'[\\u0300-\\u036f\\u0591-\\u05bd\\u05bf\\u05c1\\u05c2\\u05c4\\u05c5\\u05c7'
    '\\u0610-\\u061a\\u064b-\\u065f\\u093c]*';
  v_pattern text := '';
  v_letter text;
  v_base text;
  v_place int;
  v_digraph text;
  v_first text;
  v_both text;
begin
  foreach v_letter in array coalesce(string_to_array(braid_store.token_lower(prefix_pattern.typed), null), '{}') loop
    v_base := case when fold_diacritics and v_letter > '~' collate "C" then braid_store.token_fold(v_letter)
                   else v_letter end;
    v_place := case when fold_diacritics and length(v_base) = 1 then nullif(strpos(c_letters, v_base), 0) end;
    -- Marks that folding removes may be typed or not.
    continue when v_base = '';
    if v_place is not null then
      v_pattern := v_pattern || '[' || c_variants[v_place] || c_capitals[v_place] || ']';
    elsif v_base ~ '^[a-z]$' then
      v_pattern := v_pattern || '[' || v_base || upper(v_base collate "C") || ']';
    elsif v_letter in ('’', '''') then
      v_pattern := v_pattern || '[''’]';
    elsif v_letter <= '~' collate "C" then
      v_pattern := v_pattern || case when v_letter ~ '^[0-9_]$' then v_letter else E'\\' || v_letter end;
    else
      -- A capital stands at one of these distances before its small letter.
      v_pattern := v_pattern || '(?:' || v_letter || coalesce((
        select string_agg('|' || c.capital, '')
        from (
          -- No character has a number from 55296 to 57343.
          select chr(case when ascii(v_letter) - d between 128 and 55295 or ascii(v_letter) - d > 57343
                          then ascii(v_letter) - d else 128 end) as capital
          from unnest('{1,8,32,37,38,48,63,64,80,7264}'::int[]) d
        ) c
        where braid_store.token_lower(c.capital) = v_letter), '')
        || case when v_base ~ '^[a-z]+$' then (
             select '|' || string_agg('[' || l || upper(l collate "C") || ']', '') from string_to_table(v_base, null) l)
           else '' end || ')';
    end if;
    if fold_diacritics and (v_letter > '~' collate "C" or v_base ~ '^[a-z]$') then
      v_pattern := v_pattern || c_marks;
    end if;
  end loop;
  if fold_diacritics then
    foreach v_digraph in array c_digraphs loop
      v_place := strpos(c_letters, left(v_digraph, 1));
      v_first := '[' || c_variants[v_place] || c_capitals[v_place] || ']' || c_marks;
      v_place := strpos(c_letters, substr(v_digraph, 2, 1));
      v_both := v_first || '[' || c_variants[v_place] || c_capitals[v_place] || ']' || c_marks;
      v_digraph := '[' || substr(v_digraph, 3);
      v_pattern := replace(v_pattern, v_both, '(?:' || v_both || '|' || v_digraph || '])');
      if right(v_pattern, length(v_first)) = v_first then
        v_pattern := left(v_pattern, -length(v_first)) || v_digraph || substr(v_first, 2);
      end if;
    end loop;
  end if;
  return v_pattern;
end
$$;

comment on function braid_store.prefix_pattern(text, boolean) is
  'Return a regular expression for typed letters in capitals and small letters. If fold_diacritics, letters with and '
  'without accents match each other, as in searches.';
