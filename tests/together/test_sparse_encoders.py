"""Sparse encoders work in recalls and exports."""

from __future__ import annotations

import psycopg
import pytest
from parts.sparse_encoders.test_encoder import WEIGHTS, Connection, encoded, terms_of
from psycopg.types.json import Jsonb

pytestmark = [pytest.mark.any_version, pytest.mark.tenant_of_its_own]
__all__ = ["encoded"]


def test_a_recall_by_text_alone_has_the_terms_of_the_encoder(encoded: Connection) -> None:
    encoded.execute("select braid.set_ranking('e', '{\"sparse_encoder\": \"tiny\"}')")
    recalled = encoded.execute("select external_id from braid.recall('harbours', collection => 'e')").fetchall()
    assert {name for (name,) in recalled} == {"port", "boat", "none"}


def test_an_export_has_the_name_of_the_encoder_alone(encoded: Connection) -> None:
    encoded.execute("select braid.set_ranking('e', '{\"sparse_encoder\": \"tiny\"}')")
    records = Jsonb([row[0] for row in encoded.execute("select braid.export_tenant('e')")])
    encoded.execute("select braid.drop_collection('e')")
    encoded.execute("select braid.set_sparse_encoder('tiny', null)")
    with pytest.raises(psycopg.errors.UndefinedObject, match='sparse encoder "tiny"') as caught:
        encoded.execute("select braid.import_tenant(%s)", (records,))
    assert "set_sparse_encoder" in str(caught.value.diag.message_hint)
    encoded.execute("select braid.set_sparse_encoder('tiny', %s)", (Jsonb(WEIGHTS),))
    encoded.execute("select braid.import_tenant(%s)", (records,))
    assert terms_of(encoded, "ships") == {"ship": 3, "##s": 0.25}
