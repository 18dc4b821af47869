"""A page of another origin, in the browser of somebody who uses Motamot: whatever it sends, nothing begins."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page

from tests.support.bad_pages import BadPages
from tests.support.server import Server
from tests.support.visitor import Visitor
from tests.wire.test_refusals import messages_kept

# With the visitor's cookie, which is the same for every port of a host.
TRY = """async ([server, conversation]) => {
    const form = new URLSearchParams({ text: "spend" });
    const ask = `${server}/api/v1/conversations/${conversation}/messages`;
    const image = (src) => new Promise((done) => {
        Object.assign(new Image(), { onload: done, onerror: done, src });
    });
    const how = { mode: "no-cors", credentials: "include" };
    const send = (address, init) => fetch(address, { ...how, ...init }).catch(() => {});
    await Promise.all([
        image(`${ask}?text=spend`),
        image(`${server}/ask?text=spend`),
        image(`${server}/c/${conversation}/ask?text=spend&live=1`),
        send(`${ask}?text=spend`),
        send(ask, { method: "POST", body: form }),
        send(ask, { method: "POST", body: JSON.stringify({ text: "spend" }) }),
        send(ask, { method: "POST", body: new Blob(['{"text":"spend"}'], { type: "text/plain" }) }),
        send(`${server}/ask`, { method: "POST", body: form }),
        send(`${server}/c/${conversation}/ask`, { method: "POST", body: form }),
    ]);
    navigator.sendBeacon(ask, form);
    const element = document.createElement("form");
    Object.assign(element, { method: "post", action: `${server}/c/${conversation}/ask` });
    element.innerHTML = "<input name=text value=spend>";
    document.body.append(element);
    element.submit();
}"""


@pytest.mark.proves("C114", "C119")
def test_images_requests_and_forms_of_another_origin_begin_nothing(
    page: Page, server: Server, visitor: Visitor
) -> None:
    conversation = visitor.conversation()
    before = messages_kept(server)
    with BadPages("http://127.0.0.1:9") as elsewhere:
        page.goto(f"{elsewhere.url}/good")
        with page.expect_navigation(url=f"{server.url}/**") as arrived:
            page.evaluate(TRY, [server.url, conversation])
        assert arrived.value.status == 403
    assert messages_kept(server) == before
    assert visitor.http.get(f"/api/v1/conversations/{conversation}").json()["messages"] == []
