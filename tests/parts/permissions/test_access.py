"""Sessions read the documents whose access names one of their principals, and documents without access."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from random import Random
from typing import Any

import psycopg
import pytest

from pgbraid.errors import InstallationError
from pgbraid.install import install, uninstall_parts
from support.calls import one, upsert
from support.nearest import maintain, set_threshold
from support.waiting import until

Connection = psycopg.Connection[Any]
DOCUMENTS: list[dict[str, Any]] = [
    {"external_id": "open", "content": "discount for everyone"},
    {
        "external_id": "sales",
        "content": "discount for sales",
        "access": ["group:sales", "user:eva"],
    },
    {
        "external_id": "board",
        "content": "discount for the board",
        "access": ["group:board"],
    },
    {"external_id": "nobody", "content": "discount for nobody", "access": []},
]
ALL = ["board", "nobody", "open", "sales"]


@pytest.fixture
def filled(db: Connection) -> Connection:
    db.execute("select braid.create_collection('docs', text_config => 'simple')")
    db.execute("select braid.set_permissions('docs', true)")
    upsert(db, DOCUMENTS, "docs")
    return db


def found(connection: Connection) -> list[str]:
    rows = connection.execute(
        "select external_id from braid.full_text_search('discount', collection => 'docs') order by external_id"
    )
    listed = connection.execute("select external_id from braid.list_documents('docs') order by external_id")
    ids = [row[0] for row in rows]
    assert [row[0] for row in listed] == ids
    return ids


@contextmanager
def principals(connection: Connection, *names: str) -> Iterator[Connection]:
    with connection.transaction():
        connection.execute("select set_config('braid.principals', %s, true)", (json.dumps(names),))
        yield connection


@pytest.fixture
def login(make_login: Callable[..., str], db: Connection) -> str:
    name = make_login("reader", "braid_writer")
    db.execute("select braid.add_tenant_member('default', %s)", (name,))
    return name


def test_superusers_and_services_read_all_or_for_whom_they_ask(
    filled: Connection,
    make_login: Callable[..., str],
    connect_as: Callable[..., Connection],
) -> None:
    service = connect_as(make_login("service", "braid_writer", "service"), "default")
    for session in (filled, service):
        assert found(session) == ALL
        assert one(session, "select braid.current_principals()") is None
        for names, expected in {
            (): ["open"],
            ("user:eva",): ["open", "sales"],
            ("group:sales", "group:board"): ["board", "open", "sales"],
            ("group:SALES", "login:x"): ["open"],
        }.items():
            with principals(session, *names):
                assert found(session) == expected
        # A service that serves a request reads for its user.
        for claims, expected in {
            '{"sub": "eva"}': ["open", "sales"],
            '{"role": "anon"}': ["open"],
            "no JSON": ["open"],
            '{"role": "service_role"}': ALL,
            "": ALL,
        }.items():
            with session.transaction():
                session.execute("select set_config('request.jwt.claims', %s, true)", (claims,))
                assert found(session) == expected
                session.execute("set local braid.principals = '[\"group:board\"]'")
                assert found(session) == ["board", "open"]


def test_logins_have_their_roles_and_groups(
    filled: Connection, login: str, connect_as: Callable[..., Connection]
) -> None:
    reader = connect_as(login, "default")
    assert found(reader) == ["open"]
    member = f"login:{login}"
    assert one(
        filled,
        "select braid.add_principal_member('default', 'group:sales', %s)",
        member,
    )
    assert found(reader) == ["open", "sales"]
    # Groups may be in groups, and in a circle.
    filled.execute("select braid.add_principal_member('default', 'group:board', 'group:sales')")
    filled.execute("select braid.add_principal_member('default', 'group:sales', 'group:board')")
    assert found(reader) == ["board", "open", "sales"]
    # The setting can only choose.
    with principals(reader, "group:board"):
        assert found(reader) == ["board", "open", "sales"]
    with principals(reader, "user:eva"):
        assert found(reader) == ["open"]
    assert one(
        filled,
        "select braid.remove_principal_member('default', 'group:sales', %s)",
        member,
    )
    assert found(reader) == ["open"]
    filled.execute("select braid.add_principal_member('default', '*', %s)", (member,))
    assert found(reader) == ALL
    with principals(reader, "group:board", "user:eva"):
        assert found(reader) == ["board", "open", "sales"]


def test_a_revocation_holds_from_the_next_statement_on(
    filled: Connection, login: str, connect_as: Callable[..., Connection]
) -> None:
    reader = connect_as(login, "default")
    member = f"login:{login}"
    filled.execute("select braid.add_principal_member('default', 'group:board', %s)", (member,))
    with reader.transaction():
        assert found(reader) == ["board", "open"]
        filled.execute(
            "select braid.remove_principal_member('default', 'group:board', %s)",
            (member,),
        )
        assert found(reader) == ["open"]


@pytest.mark.parametrize("value", ["group:sales", "{}", '["a", 1]', '[["a"]]', "null", '"*"'])
def test_a_setting_that_cannot_be_read_is_refused(filled: Connection, value: str) -> None:
    filled.execute("select set_config('braid.principals', %s, false)", (value,))
    with pytest.raises(psycopg.errors.InvalidParameterValue, match=r"braid\.principals"):
        found(filled)


def test_access_follows_writes(filled: Connection) -> None:
    def readable(*names: str) -> list[str]:
        with principals(filled, *names):
            return found(filled)

    # The text stays, and the access changes.
    assert upsert(filled, [DOCUMENTS[2] | {"access": ["group:sales"]}], "docs") == {"board": "updated"}
    assert readable("group:board") == ["open"]
    assert readable("group:sales") == ["board", "open", "sales"]
    # A client that does not know access changes the text.
    assert upsert(filled, [{"external_id": "board", "content": "another discount"}], "docs") == {"board": "replaced"}
    assert readable() == ["open"]
    assert readable("group:sales") == ["board", "open", "sales"]
    # It writes the same text again.
    assert upsert(filled, [{"external_id": "board", "content": "another discount"}], "docs") == {"board": "unchanged"}
    # Null opens.
    opened = {"external_id": "board", "content": "another discount", "access": None}
    assert upsert(filled, [opened], "docs") == {"board": "updated"}
    assert readable() == ["board", "open"]
    closed = {
        "external_id": "open",
        "content": "new discount",
        "access": ["group:sales", "group:sales"],
    }
    assert upsert(filled, [closed], "docs") == {"open": "replaced"}
    assert readable() == ["board"]
    assert one(filled, "select count(*) from braid_store.access_lists") == 4


@pytest.mark.parametrize(
    ("access", "error"),
    [
        ("group:sales", psycopg.errors.InvalidParameterValue),
        ([1], psycopg.errors.InvalidParameterValue),
        (["user:eva", None], psycopg.errors.InvalidParameterValue),
        ([["user:eva"]], psycopg.errors.InvalidParameterValue),
        (["é" * 128], psycopg.errors.InvalidParameterValue),
        ([""], psycopg.errors.InvalidParameterValue),
        (["*"], psycopg.errors.InvalidParameterValue),
        (["x" * 256], psycopg.errors.InvalidParameterValue),
        ([f"user:{n}" for n in range(1001)], psycopg.errors.ProgramLimitExceeded),
    ],
)
def test_access_that_cannot_be_stored_is_refused(filled: Connection, access: Any, error: type[psycopg.Error]) -> None:
    with pytest.raises(error, match="new"):
        upsert(
            filled,
            [{"external_id": "new", "content": "text", "access": access}],
            "docs",
        )
    assert one(filled, "select count(*) from braid.list_documents('docs')") == 4


def test_a_collection_without_permissions_takes_no_access(db: Connection) -> None:
    with pytest.raises(psycopg.errors.InvalidParameterValue, match="has no permissions"):
        upsert(db, [DOCUMENTS[1]])


def test_permissions_end_only_without_access(filled: Connection) -> None:
    with pytest.raises(psycopg.errors.InvalidParameterValue, match="has documents"):
        filled.execute("select braid.set_permissions('docs', false)")
    filled.execute("select braid.clear_collection('docs')")
    filled.execute("select braid.set_permissions('docs', false)")
    upsert(filled, DOCUMENTS[:1], "docs")
    assert found(filled) == ["open"]


def test_limited_writers(filled: Connection, login: str, connect_as: Callable[..., Connection]) -> None:
    writer = connect_as(login, "default")
    filled.execute(
        "select braid.add_principal_member('default', 'group:sales', %s)",
        (f"login:{login}",),
    )
    refused = psycopg.errors.InsufficientPrivilege
    with pytest.raises(refused, match='"board" cannot be written'):
        upsert(writer, [{"external_id": "board", "content": "taken"}], "docs")
    with pytest.raises(refused, match="none of this session's principals"):
        upsert(
            writer,
            [{"external_id": "new", "content": "planted", "access": ["group:board"]}],
            "docs",
        )
    for function in ("clear_collection", "rebuild_index", "check_index"):
        with pytest.raises(refused, match=function):
            writer.execute(f"select braid.{function}('docs')")
    assert one(writer, "select braid.delete_document('board', 'docs')") is False
    assert one(writer, "select braid.delete_documents('{board,nobody}', 'docs')") == 0
    assert upsert(
        writer,
        [{"external_id": "new", "content": "discount", "access": ["group:sales"]}],
        "docs",
    ) == {"new": "inserted"}
    assert found(writer) == ["new", "open", "sales"]
    assert found(filled) == ["board", "new", "nobody", "open", "sales"]
    assert filled.execute("select * from braid.check_index('docs')").fetchall() == []


def test_pages_are_full_of_what_one_may_read(filled: Connection) -> None:
    """Hidden chunks rank above all readable ones, and are many."""
    hidden = [
        {
            "external_id": f"h{n}",
            "content": "discount discount",
            "access": ["group:board"],
        }
        for n in range(3000)
    ]
    shown = [
        {
            "external_id": f"s{n}",
            "content": "a discount in a longer text",
            "access": ["group:sales"],
        }
        for n in range(15)
    ]
    upsert(filled, hidden + shown, "docs")
    with principals(filled, "group:sales"):
        rows = filled.execute(
            "select external_id from braid.full_text_search('discount', 17, collection => 'docs')"
        ).fetchall()
    assert {row[0] for row in rows} == {
        "open",
        "sales",
        *(document["external_id"] for document in shown),
    }


def test_scores_are_those_of_the_tenant(filled: Connection) -> None:
    query = "select external_id, score from braid.full_text_search('sales discount', collection => 'docs')"
    everything = dict(filled.execute(query).fetchall())
    with principals(filled, "group:sales"):
        assert dict(filled.execute(query).fetchall()) == {name: everything[name] for name in ("open", "sales")}


@pytest.mark.parametrize(
    ("claims", "part"),
    [
        ('{"user_metadata.groups": "group:"}', "users edit themselves"),
        ('{"sub": "login:"}', "prefix"),
        ('{"sub": "log"}', "prefix"),
        ('{"sub": ""}', "prefix"),
        ('{"sub": "*"}', "prefix"),
        ('{"sub": 1}', "prefix"),
        ('["sub"]', "claims is"),
        # The group "ser:ana" would be the user ana.
        ('{"sub": "user:", "groups": "u"}', 'claim "groups" has the prefix "u", which begins the prefix "user:"'),
        ('{"sub": "é", "groups": "éa"}', "begins the prefix"),
        (json.dumps({"x" * 256: "user:"}), "prefix"),
        (json.dumps({f"c{n}": "user:" for n in range(51)}), "more than 50 claims"),
    ],
)
def test_claims_that_cannot_be_trusted_are_refused(db: Connection, claims: str, part: str) -> None:
    errors = (psycopg.errors.InvalidParameterValue, psycopg.errors.ProgramLimitExceeded)
    with pytest.raises(errors, match=part):
        db.execute("select braid.set_principal_claims(%s)", (claims,))


def test_claims_may_share_a_prefix(
    filled: Connection, make_login: Callable[..., str], connect_as: Callable[..., Connection]
) -> None:
    filled.execute("""select braid.set_principal_claims('{"sub": "User:", "roles": "group:", "groups": "group:"}')""")
    reader = connect_as(make_login("gateway", "braid_reader", "gateway"))
    tokens: list[tuple[dict[str, Any], list[str]]] = [
        # Principals are compared byte by byte. Values that are neither texts nor numbers name nobody.
        ({"sub": "é", "roles": ["a", "a", "", None, True, {"b": 1}, ["c"]], "groups": "A"},
         ["User:é", "group:A", "group:a"]),
        ({"sub": 12345678901234567890, "groups": ["e\u0301", "x" * 300]},
         ["User:12345678901234567890", "group:e\u0301", "group:" + "x" * 300]),
        ({"sub": None, "roles": {}, "groups": []}, []),
    ]  # fmt: skip
    for token, expected in tokens:
        claims = json.dumps({"app_metadata": {"tenant_id": "default"}, **token})
        reader.execute("select set_config('request.jwt.claims', %s, false)", (claims,))
        assert sorted(one(reader, "select braid_calls.own_principals()")) == expected
        assert found(reader) == ["open"]


def test_too_many_principals_are_refused(
    filled: Connection, make_login: Callable[..., str], connect_as: Callable[..., Connection]
) -> None:
    filled.execute("""select braid.set_principal_claims('{"groups": "group:"}')""")
    many = [f"{n}" for n in range(10_001)]
    reader = connect_as(make_login("gateway", "braid_reader", "gateway"))
    for groups in (many[:-1] * 2, many):
        claims = json.dumps({"app_metadata": {"tenant_id": "default"}, "groups": groups})
        reader.execute("select set_config('request.jwt.claims', %s, false)", (claims,))
        if groups != many:
            assert found(reader) == ["open"]
            continue
        with pytest.raises(psycopg.errors.ProgramLimitExceeded, match="token names more than 10000 principals"):
            found(reader)
    with (
        pytest.raises(psycopg.errors.ProgramLimitExceeded, match=r"braid\.principals has 10001 principals"),
        principals(filled, *many),
    ):
        found(filled)


@pytest.mark.parametrize("name", ["login:", "login:" + "x" * 64, "login:" + "é" * 32])
def test_a_name_that_no_login_can_have_is_refused(db: Connection, name: str) -> None:
    with pytest.raises(psycopg.errors.InvalidParameterValue, match="no login has such a name"):
        db.execute("select braid.add_principal_member('default', 'group:sales', %s)", (name,))


PERMITTED = {"ranking": {"statistics_scope": "permitted"}}
WORDS = ["amber", "basil", "cedar", "dill", "elder", "fennel"]


def test_permitted_statistics_are_those_of_a_tenant_of_readable_documents(
    db: Connection,
) -> None:
    """Scores equal the scores in a tenant that has the readable documents alone, for each of several groups."""
    random = Random(7)
    db.execute("select braid.create_collection('docs', text_config => 'simple')")
    db.execute("select braid.set_permissions('docs', true)")
    documents = [
        {
            "external_id": f"d{n}",
            "content": " ".join(random.choices(WORDS, range(1, 7), k=random.randint(3, 20))),
            "access": random.choice([None, ["a"], ["b"], ["a", "c"], []]),
        }
        for n in range(300)
    ]
    upsert(db, documents, "docs")
    search = "select external_id, score from braid.full_text_search('amber cedar fennel', 300, collection => 'docs'"
    for names in ([], ["a"], ["b", "c"], ["c"]):
        db.execute("select braid.create_tenant('copy'), set_config('braid.tenant', 'copy', false)")
        readable = [
            {key: document[key] for key in ("external_id", "content")}
            for document in documents
            if document["access"] is None or {*names} & {*document["access"]}
        ]
        upsert(db, readable, "docs")
        expected = dict(db.execute(search + ")").fetchall())
        db.execute("select set_config('braid.tenant', 'default', false)")
        with principals(db, *names):
            found = dict(db.execute(search + ", options => %s)", (json.dumps(PERMITTED),)).fetchall())
            of_tenant = dict(db.execute(search + ")").fetchall())
        assert found == pytest.approx(expected, rel=1e-12)
        assert found.keys() == of_tenant.keys() and found != of_tenant
        db.execute("select braid.drop_tenant('copy', 'copy')")
        db.execute("select braid.maintain()")


def test_stats_treat_hidden_words_as_absent(filled: Connection) -> None:
    upsert(
        filled,
        [{"external_id": "h", "content": "zebrafish", "access": ["group:board"]}],
        "docs",
    )
    search = "select braid.search_json(%s, collection => 'docs') #- '{stats,timings}' #- '{stats,query_time_ms}'"
    with principals(filled, "group:sales"):
        hidden = one(filled, search, "discount zebrafish")
        absent = one(filled, search, "discount zebraffii")
        misspelt = one(filled, search, "discount zebrafisj")
    assert misspelt["stats"]["corrections"] == []
    assert json.dumps(absent["stats"]).replace("zebraffii", "zebrafish") == json.dumps(hidden["stats"])
    assert one(filled, search, "discount zebrafisj")["stats"]["corrections"] != []


def test_a_cursor_of_before_shows_nothing_after(filled: Connection) -> None:
    many = [{"external_id": f"b{n:02}", "content": "discount", "access": ["group:board"]} for n in range(30)]
    upsert(filled, many, "docs")
    page = "select external_id, cursor from braid.full_text_search('discount', 10, collection => 'docs', options => %s)"
    with principals(filled, "group:board"):
        first = filled.execute(page, (json.dumps({"cursor": ""}),)).fetchall()
    assert first[-1][1]
    with principals(filled, "group:sales"):
        second = filled.execute(page, (json.dumps({"cursor": first[-1][1]}),)).fetchall()
    assert {row[0] for row in second} <= {"open", "sales"}


def test_the_part_goes_only_without_access(filled: Connection, dsn: str) -> None:
    install(dsn)  # it gives the clone roles of its own
    for drop_data in (False, True):
        with pytest.raises((InstallationError, psycopg.errors.FeatureNotSupported), match="access"):
            uninstall_parts(dsn, ["permissions"], drop_data=drop_data)
    with principals(filled):
        assert found(filled) == ["open"]
    filled.execute("select braid.delete_documents('{sales,board,nobody}', 'docs')")
    uninstall_parts(dsn, ["permissions"], drop_data=True)
    assert found(filled) == ["open"]
    columns = "select count(*) from pg_attribute where attname = 'access_list_id' and not attisdropped"
    assert one(filled, columns) == 0


def test_writers_read_who_may_read_a_document(
    filled: Connection, login: str, connect_as: Callable[..., Connection], make_login: Callable[..., str]
) -> None:
    access = "select braid.document_access(%s, 'docs')"
    for document in DOCUMENTS:
        listed = sorted(document["access"]) if "access" in document else None
        assert one(filled, access, document["external_id"]) == listed
    writer = connect_as(login, "default")
    filled.execute("select braid.add_principal_member('default', 'group:sales', %s)", (f"login:{login}",))
    assert one(writer, access, "sales") == ["group:sales", "user:eva"]
    for missing in ("board", "boarx"):
        with pytest.raises(psycopg.errors.UndefinedObject, match=f'document "{missing}" does not exist'):
            writer.execute(access, (missing,))
    reader = make_login("looker", "braid_reader")
    filled.execute("select braid.add_tenant_member('default', %s)", (reader,))
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        connect_as(reader, "default").execute(access, ("open",))


@pytest.mark.parametrize(
    "function",
    [
        "braid_store.request_claims",
        "braid_store.session_principals",
        "braid_calls.readable_lists",
        "braid_calls.readable_bounds",
    ],
)
def test_what_decides_and_fails_shows_nothing(
    filled: Connection, make_login: Callable[..., str], connect_as: Callable[..., Connection], function: str
) -> None:
    """Null is no answer, and so no session without limits."""
    service = connect_as(make_login("service", "braid_writer", "service"), "default")
    service.execute("select set_config('request.jwt.claims', %s, false)", ('{"sub": "eva"}',))
    assert found(service) == ["open", "sales"]
    kind = one(filled, "select prorettype::regtype::text from pg_proc where oid = %s::regproc", function)
    filled.execute(f"create or replace function {function}() returns {kind} return null::{kind}")
    assert found(service) == ["open"]
    planted = {"external_id": "new", "content": "planted", "access": ["group:board"]}
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        upsert(service, [planted], "docs")
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        service.execute("select braid.check_index('docs')")


LISTS = "select array_agg(principals::text) from braid_store.access_lists"


def test_upkeep_deletes_lists_that_no_document_has(filled: Connection, dsn: str) -> None:
    upsert(filled, [{"external_id": "bare", "content": None, "title": None, "access": ["group:bare"]}], "docs")
    upsert(filled, [DOCUMENTS[2] | {"access": ["group:sales"]}], "docs")
    with psycopg.connect(dsn) as writer:
        # A writer has found the list, and has not committed.
        writer.execute("select set_config('braid.tenant', 'default', false)")
        upsert(writer, [DOCUMENTS[0] | {"access": ["group:board"]}], "docs")
        filled.execute("select braid.maintain()")
        assert "{group:board}" in one(filled, LISTS)
        writer.commit()
    with principals(filled, "group:board"):
        assert found(filled) == ["open"]
    filled.execute("select braid.delete_documents('{open,bare}', 'docs')")
    filled.execute("select braid.maintain()")
    assert {*one(filled, LISTS)} == {"{group:sales,user:eva}", "{}", "{group:sales}"}
    left = "select count(*) from braid_store.access_list_principals"
    assert one(filled, left) == 3
    upsert(filled, DOCUMENTS, "docs")
    with principals(filled, "group:board"):
        assert found(filled) == ["board", "open"]


def test_a_writer_waits_for_upkeep_that_deletes_its_list(filled: Connection, dsn: str) -> None:
    filled.execute("select braid.delete_document('board', 'docs')")
    with psycopg.connect(dsn) as upkeep, psycopg.connect(dsn, autocommit=True) as writer:
        upkeep.execute("select braid_store.reap_access_lists()")
        writer.execute("select set_config('braid.tenant', 'default', false)")
        written = threading.Thread(target=upsert, args=(writer, [DOCUMENTS[2]], "docs"))
        written.start()
        waiting = "select count(*) from pg_locks where not granted and pid = %s"
        until(lambda: one(filled, waiting, writer.info.backend_pid) > 0)
        upkeep.commit()
        written.join()
    with principals(filled, "group:board"):
        assert found(filled) == ["board", "open"]
    with principals(filled):
        assert found(filled) == ["open"]


def test_every_leg_is_full_of_what_one_may_read(db: Connection) -> None:
    """Hidden chunks are nearer and have more of the words than readable ones, with and without a vector index."""
    db.execute("select braid.create_collection('docs', text_config => 'simple', dimensions => 2)")
    db.execute("select braid.set_permissions('docs', true)")
    hidden = [
        {"external_id": f"h{n}", "content": "discount discount", "embedding": [1, n / 1e5], "access": ["group:board"]}
        for n in range(2500)
    ]
    shown = [
        {"external_id": f"s{n}", "content": "a discount for all", "embedding": [n / 10, 1], "access": ["group:sales"]}
        for n in range(12)
    ]
    upsert(db, hidden + shown, "docs")
    calls = (
        "full_text_search('discount', 12, collection => 'docs')",
        "semantic_search('[1,0]', 12, collection => 'docs')",
        "hybrid_search('discount', '[1,0]', 12, collection => 'docs')",
        "hybrid_search('discount', '[1,0]', 12, collection => 'docs',"
        ' filters => \'{"external_id": {"$like": "%"}}\')',
    )
    expected = {document["external_id"] for document in shown}
    for threshold in (None, 1000):
        if threshold:
            set_threshold(db, threshold, 2)
            maintain(db)
        for call in calls:
            with principals(db, "group:sales"):
                rows = db.execute(f"select external_id from braid.{call}".encode()).fetchall()
            assert {row[0] for row in rows} == expected and len(rows) == 12, call


def test_upkeep_of_a_limited_administrator_loses_nothing(filled: Connection) -> None:
    with principals(filled, "group:sales"):
        upsert(filled, [{"external_id": "sales", "content": "discount again", "access": ["group:sales"]}], "docs")
    filled.execute("""set braid.principals = '["group:sales"]'""")
    filled.execute("select braid.maintain()")
    filled.execute("reset braid.principals")
    assert found(filled) == ALL
    assert filled.execute("select * from braid.check_index('docs')").fetchall() == []


def test_a_hidden_document_looks_like_no_document(filled: Connection) -> None:
    calls = (
        "braid.explain_search('discount', external_id => %s, collection => 'docs')",
        "braid.similar_documents(%s, collection => 'docs')",
        "braid.get_document(%s, 'docs')",
        "braid.update_metadata(%s, '{}', collection => 'docs')",
        "braid.delete_document(%s, 'docs')",
    )

    def told(call: str, external_id: str) -> str:
        with principals(filled, "group:sales"):
            try:
                with filled.transaction(force_rollback=True):
                    rows = filled.execute(f"select * from {call}".encode(), (external_id,)).fetchall()
            except psycopg.Error as error:
                return repr((error.sqlstate, error.diag.message_primary, error.diag.message_hint))
        return re.sub(r"'\w+_ms': [0-9.e-]+", "", repr(rows))

    for call in calls:
        assert told(call, "board") == told(call, "boarx").replace("boarx", "board"), call


def test_a_word_of_hidden_documents_alone_scores_like_no_word(db: Connection) -> None:
    """Also where the words of a query share scores: hybrid searches, required words and other rankings."""
    db.execute("select braid.create_collection('docs', text_config => 'simple', dimensions => 2)")
    db.execute("select braid.set_permissions('docs', true)")
    shown = [
        {"external_id": f"s{n}", "content": f"a discount for {'all ' * n}", "embedding": [n / 10, 1]} for n in range(12)
    ]
    hidden = [
        {"external_id": f"h{n}", "content": f"zebrafish {n}", "embedding": [1, n], "access": ["group:board"]}
        for n in range(7)
    ]
    upsert(db, shown + hidden, "docs")
    calls = (
        "full_text_search('all discount {}', 20, collection => 'docs')",
        "full_text_search('all discount {}', 20, collection => 'docs', match => '60%')",
        "full_text_search('{} all OR discount', 20, collection => 'docs')",
        "full_text_search('all discount -{}', 20, collection => 'docs')",
        "hybrid_search('all discount {}', '[1,0]', 20, collection => 'docs')",
        "hybrid_search('{} discount', '[1,0]', 20, collection => 'docs', fusion => 'rrf')",
        "hybrid_search('{} discount', '[1,0]', 20, collection => 'docs', options => '{{\"prefilter\": true}}')",
        "full_text_search('all discount {}*', 20, collection => 'docs')",
        "full_text_search('discount OR \"all {}\"', 20, collection => 'docs')",
        "full_text_search('discount {}', 20, collection => 'docs', options => '{{\"typos\": \"auto\"}}')",
        *(
            "hybrid_search('all discount {}', '[1,0]', 20, collection => 'docs',"
            f' options => \'{{{{"ranking": {{{{"normalisation": "{name}"}}}}}}}}\')'
            for name in ("minmax", "theoretical", "centroid", "zscore", "saturate", "none")
        ),
    )
    for call in calls:
        with principals(db, "group:sales"):
            rows = [
                db.execute(f"select external_id, score from braid.{call.format(word)}".encode()).fetchall()
                for word in ("zebrafish", "zebraffii")
            ]
        assert rows[0] == rows[1] and rows[0], call


def test_maintenance_counts_the_chunks_of_lists(filled: Connection) -> None:
    """Searches are planned by the share of chunks that a session may read."""
    share = "select braid_store.readable_share(%s, braid_calls.readable_bounds())"
    counted = "select coalesce(sum(chunk_count), 0)::int from braid_store.access_list_counts where collection_id = %s"
    collection = one(filled, "select id from braid_store.collections where name = 'docs'")
    maintain(filled)
    assert one(filled, counted, collection) == len(DOCUMENTS)
    for names, expected in (("group:sales", 0.5), ("group:board", 0.5), ("user:x", 0.25)):
        with principals(filled, names):
            assert one(filled, share, collection) == expected
    # As many again change more than a tenth.
    upsert(filled, [{"external_id": f"new{n}", "content": "discount"} for n in range(4)], "docs")
    maintain(filled)
    with principals(filled, "user:x"):
        assert one(filled, share, collection) == 5 / 8
    # The part can be removed when its setting is gone.
    filled.execute("select braid.delete_documents('{sales,board,nobody}', 'docs')")
    filled.execute("select braid.set_permissions('docs', false)")
    maintain(filled)
    assert one(filled, counted, collection) == 0
