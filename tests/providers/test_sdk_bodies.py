"""The providers' own clients, handed what our bodies say, post the same; `tests.bench.sdks` takes 500 of each."""

from __future__ import annotations

import pytest

from inspector.domain.wire.values import WireForm
from tests.providers.provider_server import serving
from tests.providers.sdk_bodies import CLIENTS, REFUSED, body_of, plain, sent_by


@pytest.mark.filterwarnings("ignore:The model .* is deprecated:DeprecationWarning")
@pytest.mark.parametrize("form", sorted(WireForm))
async def test_that_a_providers_own_client_posts_the_same_body(form: WireForm) -> None:
    async with serving() as server:
        server.answer = REFUSED
        send = CLIENTS[form](server.base)
        bodies = [plain(form, body_of(seed, form)) for seed in range(30)]
        sent = [await sent_by(server, form, send, body_of(seed, form)) for seed in range(30)]
    assert sent == bodies
    # They differ from one another, so that being equal says something.
    assert len({repr(body) for body in bodies}) == len(bodies)
