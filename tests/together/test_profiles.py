"""Profiles follow a model change, and are exported."""

from __future__ import annotations

import json
from typing import Any

import psycopg
import pytest
from parts.reranking.test_profiles import Connection, embed, filled, search
from psycopg.types.json import Jsonb

from support.calls import one, set_tenant, vector

pytestmark = [pytest.mark.any_version, pytest.mark.tenant_of_its_own]
__all__ = ["filled"]


def test_a_vector_of_another_model_does_not_count(filled: Connection) -> None:
    filled.execute(
        "select braid.set_profile('ana', %s, %s, 'small')", (vector([0, 1, 0]), Jsonb({"category": {"billing": 1}}))
    )
    filled.execute("select braid.start_model_change('small', 'other', 3)")
    filled.execute("select braid.maintain()")
    embed(filled, "other")
    assert search(filled, "ana")["taste"]["boosts"][0]["signal"] == "profile"
    filled.execute("select braid.cut_over_model_change('small')")
    answer = one(
        filled,
        "select braid.search_json(null, %s::vector, collection => 'small', options => %s)",
        vector([1, 0, 0]),
        Jsonb({"profile": "ana"}),
    )
    assert [warning["code"] for warning in answer["warnings"]] == ["profile_of_other_model"]
    assert answer["stats"]["profile"]["embedding"] == "other_model"
    taste = next(row for row in answer["results"] if row["external_id"] == "taste")
    assert [boost["signal"] for boost in taste["boosts"]] == ["profile.category"]
    # A profile learned again counts.
    filled.execute("select braid.learn_profile('ana', '{taste}', collection => 'small')")
    assert search(filled, "ana")["taste"]["boosts"][0] == {
        "signal": "profile",
        "value": pytest.approx(1, abs=1e-6),
        "addend": pytest.approx(0.2, abs=1e-6),
    }


def test_an_export_takes_profiles_along(filled: Connection) -> None:
    filled.execute(
        "select braid.set_profile('ana', %s, %s, 'small')",
        (vector([1e-7, 0.1, -3.5]), Jsonb({"category": {"billing": 0.5}})),
    )
    filled.execute("select braid.set_profile('bo', null, '{\"year\": {\"2024\": -1}}')")
    records = [record for (record,) in filled.execute("select braid.export_tenant()::text")]
    assert [json.loads(record)["profile"]["profile"] for record in records[-2:]] == ["ana", "bo"]
    before = one(filled, "select jsonb_agg(braid.get_profile(profile)) from braid.list_profiles()")
    filled.execute("select braid.create_tenant('other')")
    set_tenant(filled, "other")
    assert one(filled, "select braid.import_tenant(%s)", f"[{','.join(records)}]") == 4
    assert one(filled, "select jsonb_agg(braid.get_profile(profile)) from braid.list_profiles()") == before
    # An export of one collection alone has no profiles.
    assert not [r for (r,) in filled.execute("select braid.export_tenant('small')") if "profile" in r]
    # A vector of an unknown model is left out.
    ana = json.loads(records[-2])
    ana["profile"]["embedding_model"] = "unknown"
    filled.execute("select braid.import_tenant(%s)", (Jsonb([ana]),))
    assert one(filled, "select braid.get_profile('ana') - 'updated_at'") == {
        **dict.fromkeys(("embedding", "embedding_model", "dimensions", "distance")),
        "profile": "ana",
        "attributes": {"category": {"billing": 0.5}},
    }
    # If the imported profile has nothing else, the existing profile stays.
    ana["profile"]["attributes"] = {}
    filled.execute("select braid.import_tenant(%s)", (Jsonb([ana]),))
    assert one(filled, "select braid.get_profile('ana') -> 'attributes'") == {"category": {"billing": 0.5}}
    wrong: list[tuple[str, Any]] = [
        ("embedding", [1, 2]),
        ("attributes", {"category": 1}),
        ("updated_at", "never"),
        ("profile", ""),
        ("embedding", [0, 0, 0]),
        ("embedding", ["x"]),
    ]
    for key, value in wrong:
        ana = json.loads(records[-2])
        ana["profile"][key] = value
        with pytest.raises(psycopg.errors.InvalidParameterValue):
            filled.execute("select braid.import_tenant(%s)", (Jsonb([ana]),))
