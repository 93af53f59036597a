"""List texts with their tokens, by text search configuration and treatment of diacritics.

Bars separate positions. Within a position: word, =stop word, [compound], +part, 2:bigram, 1:character.
"""

from __future__ import annotations

GOLDEN: list[tuple[str, bool, str, str]] = [
    # words, stop words
    ("english", True, "The quick brown foxes, jumping!", "=the | quick | brown | fox | jump"),
    ("english", True, "The Who", "=the | =who"),
    ("english", True, "NASA's rovers", "=s [nasa] | rover"),
    ("english", True, "Running RUNNING runs", "run | run | run"),
    ("english", True, "(parenthesised) “quoted” *starred*", "parenthesis | quot | star"),
    ("english", True, "word—word wait...what", "word | word | wait | =what"),
    ("english", True, "don't it's I'm", "=don =don't =t | =it =s | =i [i'm] +m"),
    ("english", True, "O'Brien’s dogs' John's", "=s [o'brien] +brien +o | dog | =s [john]"),
    ("english", True, "U.S. e.g. Ph.D.", "us | eg | [ph.d] +d +ph"),
    ("english", True, "PCs NGOs", "pcs | ngos"),
    # identifiers and codes have parts
    ("english", True, "ORA-00942", "[ora00942] +00942 +ora"),
    ("english", True, "E1234", "[e1234] +1234 +e"),
    ("english", True, "snake_case", "[snake_case] +case +snake"),
    ("english", True, "camelCase", "[camelcas] +camel +case"),
    ("english", True, "PascalCase HTTPServer", "[pascalcas] +case +pascal | [httpserver] +http +server"),
    ("english", True, "foo::bar", "[foo::bar] +bar +foo"),
    ("english", True, "a->b.c", "=a [a->b.c] +b +b.c +c"),
    ("english", True, "$var ${name}", "[$var] +var | name"),
    ("english", True, "kebab-case", "[kebabcas] +case +kebab"),
    ("english", True, "C C++ C#", "c | [c++] +c | [c#] +c"),
    ("english", True, "the .NET runtime", "=the | [.net] +net | runtim"),
    ("english", True, "node.js", "[node.js] +js +node"),
    ("english", True, "GPT-4o", "[gpt4o] +4 +4o +gpt +o"),
    ("english", True, "x86_64", "[x86_64] +64 +86 +x +x86"),
    ("english", True, "__init__", "[__init__] +init"),
    ("english", True, "IL-6 IL6 CD4+", "[il6] +6 +il | [il6] +6 +il | [cd4+] +4 +cd +cd4"),
    ("english", True, "AT&T R&D", "=at =t [at&t] | [r&d] +d +r"),
    ("english", True, "iPhones", "=i [iphon] +phone"),
    ("english", True, "f(x[0])", "f | x | 0"),
    ("english", True, "key=value", "key | valu"),
    ("english", True, "List<String>", "list | string"),
    # numbers, versions and dates have parts
    ("english", True, "17.2.1", "[17.2.1] +17 +17.2"),
    ("english", True, "v1.2.3", "[v1.2.3] +1 +1.2 +1.2.3 +v"),
    ("english", True, "python3.11", "[python3.11] +3 +3.11 +python"),
    ("english", True, "1,000,000 1000000 1_000", "1000000 | 1000000 | 1000"),
    ("english", True, "1,000.50", "[1000.50] +1000"),
    ("english", True, "3.14", "[3.14] +3"),
    ("english", True, "50% $19.99 €5", "[50%] +50 | [$19.99] +19 +19.99 | [€5] +5"),
    ("english", True, "2026-11-21", "[2026-11-21] +11 +2026 +2026-11 +21"),
    ("english", True, "21/11/2026", "[21/11/2026] +11 +2026 +21 +21/11"),
    ("english", True, "12:30:45", "[12:30:45] +12 +12:30 +30 +45"),
    (
        "english",
        True,
        "2026-11-21T12:30:45Z",
        "=t [2026-11-21t12:30:45z] +11 +12 +12:30 +12:30:45 +2026 +2026-11 +2026-11-21 "
        "+20261121t12 +21 +21t12 +30 +45 +45z +z",
    ),
    ("english", True, "192.168.1.10", "[192.168.1.10] +192 +192.168 +192.168.1"),
    ("english", True, "1990–1995", "[1990-1995] +1990 +1995"),
    ("english", True, "10⁻³ H₂O ½", "[10-3] +10 +3 | [h2o] +2 +h +o | 1 | 2"),
    # paths and addresses have parts
    ("english", True, "src/app/main.py", "[src/app/main.py] +app +main +main.py +py +src"),
    ("english", True, "/usr/bin/env", "[usr/bin/env] +bin +env +usr"),
    ("english", True, "C:\\Users\\bob", "[c:\\users\\bob] +bob +c +user"),
    (
        "english",
        True,
        "https://www.example.com/docs/intro.html?q=foo&lang=en",
        "[https://www.example.com/docs/intro.html?q:foo&lang:en] +com +doc +en +exampl +foo "
        "+html +https +intro +intro.html +lang +q +www +www.example.com",
    ),
    ("english", True, "<http://a.org/x_(y)>.", "=a [http://a.org/x_(y] +a.org +http +org +x +x_ +y"),
    (
        "english",
        True,
        "joe.smith@mail.example.com",
        "[joe.smith@mail.example.com] +com +exampl +joe +joe.smith +mail +mail.example.com +smith",
    ),
    ("english", True, "#tag tag", "[#tag] +tag | tag"),
    ("english", True, "@user", "[@user] +user"),
    ("english", True, "and/or", "=and =or [and/or]"),
    ("english", True, "end.Next", "[end.next] +end +next"),
    # hyphens join a compound
    ("english", True, "state-of-the-art", "=of =the [stateoftheart] +art +state"),
    ("english", True, "re-entry reentry", "[reentri] +entri +re | reentri"),
    ("english", True, "well-known - dash", "[wellknown] +known +well | dash"),
    # letters beyond ASCII are folded
    ("english", True, "café CAFÉ cafe\u0301", "cafe | cafe | cafe"),
    ("english", True, "Straße STRASSE", "strasse | strass"),
    ("english", True, "naïve ﬁnance Ｗｉｄｅ", "naiv | financ | wide"),
    ("english", True, "İstanbul ışık", "istanbul | isik"),
    ("english", True, "Ångström Łódź", "angstrom | lodz"),
    ("english", True, "Ελλάδα ΕΛΛΆΔΑ λόγος ΛΟΓΟΣ", "ελλαδα | ελλαδα | λογοσ | λογοσ"),
    ("english", True, "العَرَبِيّة", "العربيه"),
    ("english", True, "עִברית", "עברית"),
    ("english", True, "हिन्दी में", "हिन्दी | में"),
    ("english", True, "٢٠٢٦", "2026"),
    ("english", True, "re\u00adentry zero\u200bwidth", "reentri | zero | width"),
    # diacritics are kept
    ("english", False, "café Straße", "café | straße"),
    # dictionaries of other languages stem
    ("german", True, "Die Häuser der Straße", "=die | haus | =der | strass"),
    ("french", True, "le garçon mange", "=le | garcon | mang"),
    ("russian", True, "ФИЛЬМЫ и Ёлка films", "фильм | =и | елк | film"),
    ("simple", True, "The Foxes are running", "the | foxes | are | running"),
    # scripts without spaces, and Hangul, give bigrams
    ("english", True, "东京大学", "2:东京 1:东 | 2:京大 1:京 | 2:大学 1:大 | 1:学"),
    ("english", True, "日本の テスト", "2:日本 1:日 | 2:本の 1:本 | 1:の | 2:テス 1:テ | 2:スト 1:ス | 1:ト"),
    ("english", True, "PostgreSQL数据库", "[postgresql] +postgr +sql | 2:数据 1:数 | 2:据库 1:据 | 1:库"),
    ("english", True, "我", "我"),
    ("english", True, "ภาษา", "2:ภา 1:ภ | 2:าษ 1:า | 2:ษา 1:ษ | 1:า"),
    ("english", True, "ລາວ", "2:ລາ 1:ລ | 2:າວ 1:າ | 1:ວ"),
    ("english", True, "ខ្មែរ", "2:ខ្ 1:ខ | 2:្ម 1:្ | 2:មែ 1:ម | 2:ែរ 1:ែ | 1:រ"),
    ("english", True, "မြန်", "2:မြ 1:မ | 2:ြန 1:ြ | 2:န် 1:န | 1:်"),
    ("english", True, "데이터를", "데이터를 2:데이 2:이터 2:터를 1:데 1:를 1:이 1:터"),
    ("english", True, "한국 책", "2:한국 1:국 1:한 | 책"),
    # emoji and symbols are words
    ("english", True, "ship it 🚀🚀", "ship | =it | 🚀 | 🚀"),
    ("english", True, "👍🏽 ❤\ufe0f", "👍 | ❤"),
    ("english", True, "👨\u200d👩\u200d👧", "[👨👩👧] +👧 +👨 +👩"),
    ("english", True, "🇩🇪🇫🇷", "🇩🇪 | 🇫🇷"),
    ("english", True, "1\ufe0f\u20e3", "1"),
    # some texts have no tokens
    ("english", True, "- — ... ⁂ ____ '", ""),
    ("english", True, "\ue000\u0001\ufeff\u200b", ""),
    ("english", True, "", ""),
    ("english", True, "\u0301", ""),
    # long words are cut
    (
        "english",
        True,
        "x" * 300,
        "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx~8a4876ea55d998a5d91ed59db796af28",
    ),
]
