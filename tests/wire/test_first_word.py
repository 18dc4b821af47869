"""The first word is with its reader before the model has made the second one, by the clock of both."""

import threading
from time import monotonic

import pytest

from tests.support.server import start_server
from tests.support.visitor import Visitor, events_of
from webapp.core.events import Answer, Delta
from webapp.qa.upstream import DONE, Reply, Until, Upstream, delta

MODEL = '[[models]]\nid = "slow"\nkind = "remote"\nurl = "{url}"\nname = "m"\n'


@pytest.mark.proves("A22", "G21", "C12")
def test_the_first_delta_is_on_the_wire_before_the_model_makes_the_second() -> None:
    has_read = threading.Event()
    with Upstream() as provider, start_server(config=MODEL.format(url=provider.url)) as server:
        provider.play(Reply([delta("first "), Until(has_read), delta("second"), DONE]))
        visitor = Visitor(server)
        read_at: dict[str, float] = {}
        with visitor.stream("why?", model="slow") as response:
            for event in events_of(response):
                if isinstance(event, Delta):
                    read_at[event.text] = monotonic()
                    has_read.set()
        assert isinstance(event, Answer)
        made_at = [when for when, _ in provider.exchange(0).sent]
        assert made_at[0] < read_at["first "] < made_at[1] < read_at["second"]
