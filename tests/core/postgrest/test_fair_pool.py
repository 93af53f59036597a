"""One tenant's requests do not take the pool from another tenant."""

from __future__ import annotations

import threading

from core.isolation.world import Gateway, World

from support import npm, postgrest
from support.postgrest import token_for

CLIENTS = 12
POOL = 4
ATTACK = {
    "query_text": "discount " + " ".join(f"-w{number}" for number in range(20_000)),
    "collection": "small",
}


def test_queries_of_many_words_leave_room_for_another_tenant(world: World, gateway: Gateway) -> None:
    """Queries of many words leave room for another tenant: twelve clients with queries of 3 s each once filled a
    pool of four, and the other tenant got 504."""
    world.ingest("alpha", [{"external_id": "fair", "content": "A discount for the customer."}])
    statuses: list[int] = []
    ended = threading.Event()

    def attack(port: int) -> None:
        client = postgrest.Gateway(port)
        while not ended.is_set():
            statuses.append(client.post("full_text_search", ATTACK, token_for("alpha", gateway.authenticated)).status)
        client.close()

    with postgrest.running(npm.postgrest(), world.dsn, gateway.login, gateway.anon, PGRST_DB_POOL=str(POOL)) as http:
        clients = [threading.Thread(target=attack, args=(http.port,)) for _ in range(CLIENTS)]
        for client in clients:
            client.start()
        try:
            search = {"query_text": "discount", "collection": "small"}
            answer = http.post("full_text_search", search, token_for("beta", gateway.authenticated))
        finally:
            ended.set()
            for client in clients:
                client.join()
    assert answer.status == 200, answer
    assert 200 in statuses
