"""Each file of sql/ defines one function in one form, and its errors have a code and a hint."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

pytestmark = pytest.mark.any_version
SQL = Path(__file__).parents[3] / "sql"
FILES = sorted(SQL.rglob("*.sql"))
TEXTS = {file: file.read_text() for file in FILES}
# These files hold roles, schemas, policies or grants, so they are not about one object.
SETS = {"1_schemas", "99_privileges"}
OBJECT_FILES = [f for f in FILES if f.parent.name not in SETS and f.name != "policies.sql"]

CREATE = re.compile(r"^create (?:or replace )?(function|procedure|view|type) (braid(?:_calls|_store)?)\.(\w+)", re.M)
ATTRIBUTES = re.compile(
    r"\nlanguage (?:sql|plpgsql)\n(?:volatile|stable|immutable)\n(?:strict\n)?parallel (?:safe|unsafe|restricted)\n"
    r"security (?:invoker|definer)\n(?:rows \d+\n|cost \d+\n)*set search_path = pg_catalog, pg_temp\n"
    r"(?:set [\w.]+ = [^\n]+\n|--[^\n]*\n)*"
    r"as \$\$\n"
)
RAISE = re.compile(r"\braise exception\b(.*?);\n", re.S | re.I)
CODES = {"22023", "2201B", "25006", "22P02", "42704", "42501", "0A000", "54000", "55P03"}
INSTALLER = sorted(SQL.parent.glob("python/*/src/*/*/*.sql"))
# This matches a comment, a quoted name, or a string with all the lines that continue it.
LITERAL = re.compile(
    r"--[^\n]*|\"[^\"]*\"|(?P<string>(?:(?<![\w$])(?:[EeNnBbXx]|[Uu]&))?'(?:[^']|'')*'(?:\s*\n\s*'(?:[^']|'')*')*)"
)


def name_of(file: Path) -> str:
    return file.relative_to(SQL).as_posix()


def without_comments(text: str) -> str:
    return re.sub(r"('(?:[^']|'')*')|--[^\n]*", r"\1", text)


def without_strings(text: str) -> str:
    return re.sub(r"'(?:[^']|'')*'|\"[^\"]*\"", "''", without_comments(text))


def test_there_are_files() -> None:
    assert len(OBJECT_FILES) > 60
    folders = {f.parent.relative_to(SQL).as_posix() for f in FILES}
    assert [f for f in folders if not re.fullmatch(r"(core/\d\d_|parts/)[a-z_]+(/\d\d?_[a-z_]+)?", f)] == []


def test_a_file_is_one_object_named_after_it() -> None:
    definition = re.compile(r"^create\s+(?:or\s+replace\s+)?(?:function|view|procedure|table|type)\b", re.I | re.M)
    offenders = {
        name_of(file): names
        for file in OBJECT_FILES
        if (names := [name for _, _, name in CREATE.findall(TEXTS[file])]) != [file.stem]
        or len(definition.findall(TEXTS[file])) != 1
    }
    assert offenders == {}


def test_the_comment_stands_beside_its_object() -> None:
    offenders = [
        f"{name_of(file)}: {schema}.{name}"
        for file in OBJECT_FILES
        for kind, schema, name in CREATE.findall(TEXTS[file])
        if len(re.findall(rf"^comment on {kind} {schema}\.{name}\b", TEXTS[file], re.M)) != 1
    ]
    assert offenders == []


def test_attributes_come_in_one_order() -> None:
    offenders = [
        name_of(file)
        for file in OBJECT_FILES
        for kind, _, _ in CREATE.findall(TEXTS[file])
        if kind not in ("type", "procedure")  # test_functions.py tells why a procedure has no such settings
        and not ("with (security_invoker = true)" in TEXTS[file] if kind == "view" else ATTRIBUTES.search(TEXTS[file]))
    ]
    assert offenders == []


def test_keywords_are_lower_case() -> None:
    offenders = {
        name_of(file): capitals
        for file in FILES
        if (capitals := set(re.findall(r"\b[A-Z]{2,}\b", without_strings(TEXTS[file]))))
    }
    assert offenders == {}


def test_constants_are_named_c_and_nothing_else_is() -> None:
    declared = re.compile(r"^  (\w+) (constant )?[a-z@][^\n]*;|^  (\w+) (constant )", re.M)
    offenders = [
        f"{name_of(file)}: {name}"
        for file in FILES
        for found in declared.finditer(TEXTS[file])
        for name, constant in [(found[1] or found[3], found[2] or found[4])]
        if name.startswith("c_") != bool(constant)
    ]
    assert offenders == []


# Each function lists characters. Beside its name are pieces of the list that stand in no other file.
LISTS = {
    "script_letters": (r"\\u1a20-\\u1aaf", r"\\uff66-\\uff9f", r"\\ua960-\\ua97f", r"\\u2b00-\\u2bff", r"\\U0001f1e6"),
    "white_space": (r"\u2008",),
    "quotation_marks": ('“”„"',),
}


def test_characters_are_listed_once() -> None:
    """Each set of characters stands in one file, so that indexing, search and highlighting agree on what a word is."""
    found = {
        part: [file.stem for file in FILES if re.search(r"(?<!\\)" + re.escape(part), TEXTS[file])]
        for parts in LISTS.values()
        for part in parts
    }
    assert found == {part: [name] for name, parts in LISTS.items() for part in parts}


def has_code_and_hint(statement: str, text: str) -> bool:
    # An error that is raised again keeps its code and hint.
    if "errcode = sqlstate, hint = v_hint" in statement and "get stacked diagnostics v_hint" in text:
        return True
    code = re.search(r"\berrcode = '(\w{5})'", statement)
    # BR001 never leaves the function that raises it.
    caught = code and code.group(1) == "BR001" and "exception when sqlstate 'BR001'" in text
    return bool(code and (code.group(1) in CODES or caught) and re.search(r"\bhint = ", statement))


def test_errors_have_a_code_and_a_hint() -> None:
    offenders = []
    for file in FILES:
        text = without_comments(TEXTS[file])
        raised = RAISE.findall(text)
        if len(raised) != len(re.findall(r"\braise (?:exception|sqlstate)\b", text, re.I)):
            offenders.append(f"{name_of(file)}: an error that is raised in another form")
        offenders += [f"{name_of(file)}: {found}" for found in raised if not has_code_and_hint(found, text)]
    assert offenders == []


def test_errors_and_warnings_are_written_in_ascii() -> None:
    """Errors and warnings are in ASCII: a client with another encoding would get garbled text, or no answer."""
    # This matches `raise exception` statements, and constants that hold hints.
    told = re.compile(r"\braise exception\b.*?;\n|\b(?:c|v)_hint (?:constant )?text := .*?;\n", re.S | re.I)
    offenders = [
        f"{name_of(file)}: {found}"
        for file in FILES
        for found in told.findall(without_comments(TEXTS[file]))
        if not found.isascii()
    ]
    warnings = next(text for file, text in TEXTS.items() if file.name == "search_warnings.sql")
    assert offenders == [] and warnings.isascii()


# Each pattern stands beside the reason against it.
NEVER = {
    r"40001|serialization_failure": "PostgREST retries it for ever",
    r"advisory": "such a lock has no privileges: every login can take it",
    r"\bgrant\b[^;]*\bto\s+public\b": "PUBLIC has nothing",
    r"\bto\s+public\b": "PUBLIC has nothing",
    r"\bset\s+role\b|\bsession\s+authorization\b|force row level": "roles and policies stay as they are installed",
    r"\b(?:public|extensions)\.(?:vector|halfvec)\b": "pgvector's schema is @vector@",
    r"\bexecute\s+(?:')(?:[^']|'')*'\s*\|\|": "a string that is put together by || is how injection begins",
    r"#variable_conflict\s+use_variable": "a name that is a variable and a column is qualified",
    r"\breturn query execute\s+(?!format\(|pg_catalog\.format\()": "a string that is put together by ||",
}


def test_what_is_never_written() -> None:
    offenders = [
        f"{name_of(file)}: {found[0]}: {reason}"
        for file in FILES
        for pattern, reason in NEVER.items()
        for found in re.finditer(pattern, without_comments(TEXTS[file]), re.I)
    ]
    assert offenders == []


def misread_strings(text: str) -> list[str]:
    """Return the strings that PostgreSQL reads differently, or refuses, where standard_conforming_strings is off."""
    strings = [found["string"] for found in LITERAL.finditer(text) if found["string"]]
    return [s for s in strings if (s[0] not in "eE" and "\\" in s) or s[0] in "uU"]


def test_strings_mean_the_same_under_every_setting() -> None:
    """Strings have one meaning under both values of standard_conforming_strings. Each session chooses the value, and
    reads a function's strings by it, so a string with a backslash begins with E."""
    files = [*FILES, *sorted(SQL.parent.glob("migrations/**/*.sql")), *INSTALLER]
    assert [(file.name, found) for file in files if (found := misread_strings(file.read_text()))] == []


def test_misread_strings_are_found() -> None:
    assert misread_strings("select '\\d', E'\\\\d', 'it''s' -- '\\d'\n, U&'\\0041'") == ["'\\d'", "U&'\\0041'"]
    assert misread_strings("select 'a'\n  '\\d', E'a'\n  '\\d'") == ["'a'\n  '\\d'"]


# The filter operator $ilike is not SQL.
CASE = re.compile(
    r"\b(?:lower|upper|initcap)(?=\()|\[\[?:(?:al|up|lo|pu|sp|gr|pr)\w+:\]|(?:~~\*|~\*|(?<!\$)\bilike\b)", re.I
)
# lower(r) and upper(r) are the bounds of a range.
BOUND = re.compile(r"\((?:r|r\.passage)\)")


def of_the_locale(text: str) -> list[str]:
    """Return code that depends on the database's locale. Turkish and Lithuanian lower letters differently, and under
    C only ASCII letters are letters."""
    found = [(case[0], arguments(text, case.end())) for case in CASE.finditer(text)]
    return [
        name + given
        for name, given in found
        if not (name[0].isalpha() and ('collate "C"' in given or BOUND.fullmatch(given)))
    ]


def arguments(text: str, start: int) -> str:
    """Return the parentheses that open at a position, with their content."""
    depth = 0
    for place in range(start, len(text)):
        depth += (text[place] == "(") - (text[place] == ")")
        if depth == 0:
            return text[start : place + 1]
    return ""


def test_nothing_depends_on_the_locale() -> None:
    texts = {file.name: without_comments(file.read_text().split("\ncomment on ")[0]) for file in [*FILES, *INSTALLER]}
    assert {name: found for name, text in texts.items() if (found := of_the_locale(text))} == {}


def test_what_depends_on_the_locale_is_found() -> None:
    texts = ("lower(btrim(a))", "a ~ '[[:alnum:]]'", "a ~* 'b'", "a ilike 'b'", "upper(a)")
    assert [bool(of_the_locale(text)) for text in texts] == [True] * 5
    assert of_the_locale('lower(btrim(a) collate "C"), lower(r), lower_inf(r)') == []


CHANGE = re.compile(r"\b(?:(?<!do )update\s+[\w.%]+\b[^;)]*?\bset|delete\s+from)\b([^;]*)", re.I)


def own_clauses(text: str) -> str:
    """Return a statement up to the parenthesis that closes around it, without the content of its own parentheses."""
    depth, kept = 0, []
    for sign in text:
        depth += (sign == "(") - (sign == ")")
        if depth < 0:
            break
        if depth == 0:
            kept.append(sign)
    return "".join(kept)


def test_updates_and_deletes_have_a_condition() -> None:
    """Every update and delete has a condition: Supabase's API loads pg-safeupdate, which refuses statements without
    one."""
    unbounded = [
        f"{name_of(file)}: {change[0][:80]}"
        for file in FILES
        for change in CHANGE.finditer(without_strings(TEXTS[file]))
        if not re.search(r"\bwhere\b", own_clauses(change[1]), re.I)
    ]
    assert unbounded == []
    assert CHANGE.search("update a set b = 1") and CHANGE.search("delete from a")


PLACE = re.compile(r"\b(?:(\w+)\.)?ctid = any \(")
# These functions change tables that are never partitioned: vector shards, notes, sizes and the search log.
# A node of a cluster, whose tables are partitioned, never leaves a table of postings.
ONE_TABLE = {
    "note_rate", "note_sizes", "roll_up_searches", "delete_hours", "delete_logged", "leave_postings",
    "empty_postings", "lock_postings", "remove_from_shard", "represent_duplicates", "give_back_vectors",
    "remove_vectors", "forget_copied",
}  # fmt: skip


def test_places_stand_beside_their_tenant() -> None:
    """A ctid is compared together with its tenant, because another partition can hold another tenant's row with the
    same ctid."""
    alone = [
        name_of(file)
        for file in FILES
        for place in PLACE.finditer(TEXTS[file])
        if not re.search(r"(?:tenant_id \+ 0 = \S+|u\.day < .*) and $", TEXTS[file][: place.start()])
        and file.stem not in ONE_TABLE
    ]
    assert alone == []
    assert PLACE.search("where t.ctid = any (v_places)")
