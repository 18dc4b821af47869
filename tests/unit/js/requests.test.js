/** Replies that are none of ours, each as a problem with a sentence; against a real server on loopback. */

import assert from "node:assert/strict";
import { createServer } from "node:http";
import test from "node:test";

import { Problem } from "../../../static/js/core/problem.js";
import { MAX_EVENT_BYTES } from "../../../static/js/core/sse.js";
import { Api, newRequestId } from "../../../static/js/net/api.js";
import { eventsOf } from "../../../static/js/net/requests.js";

const EVENTS = { "Content-Type": "text/event-stream; charset=utf-8" };
const DELTA = 'id: 2\nevent: delta\ndata: {"seq":2,"text":"a"}\n\n';

/** The outcome of a question to a server that gives `answer`: the names of its events, then the code it failed with. */
async function ask(answer, signal = new AbortController().signal) {
  const server = createServer(answer).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const api = new Api(`http://127.0.0.1:${server.address().port}`);
  const names = [];
  try {
    const question = { text: "t", model: "m", requestId: newRequestId(), parentId: "" };
    for await (const event of await api.ask("cnv_1", question, signal)) names.push(event.name);
    return { names };
  } catch (error) {
    return { names, error };
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

const reply = (status, headers, body) => (_request, response) => response.writeHead(status, headers).end(body);

test("what is no event stream is a failure with a sentence", async () => {
  const replies = [
    [reply(200, { "Content-Type": "application/json" }, '{"error":"please sign in"}'), "stream_incomplete"],
    [reply(200, { "Content-Type": "text/html; charset=utf-8" }, "<h1>Sign in</h1>"), "stream_incomplete"],
    [reply(200, {}, ""), "stream_incomplete"],
    [reply(502, { "Content-Type": "text/html" }, "<h1>Bad gateway</h1>"), "connection_lost"],
    [reply(500, { "Content-Type": "text/html" }, "<h1>Oops</h1>"), "internal"],
    [reply(401, {}, ""), "unauthorized"],
    [reply(418, {}, ""), "bad_request"],
    [reply(503, { "Content-Type": "application/json" }, "[]"), "busy"],
  ];
  for (const [answer, code] of replies) {
    const { names, error } = await ask(answer);
    assert.ok(error instanceof Problem, code);
    assert.deepEqual([names, error.code], [[], code]);
    assert.match(error.sentence, /^[A-Z][^<{]+\.$/);
  }
});

test("a problem document says its own sentences", async () => {
  const body = JSON.stringify({ code: "conversation_busy", detail: "One is being written.", next_step: "Wait.", retryable: true });
  const { error } = await ask(reply(409, { "Content-Type": "application/problem+json" }, body));
  assert.deepEqual([error.code, error.status, error.sentence], ["conversation_busy", 409, "One is being written. Wait."]);
});

test("a refusal says when to come again, in seconds or as a date, and nothing where that cannot be read", async () => {
  const retryAfterOf = async (value) => (await ask(reply(503, { "Retry-After": value }, ""))).error.retryAfter;
  assert.equal(await retryAfterOf("20"), 20_000);
  const wait = await retryAfterOf(new Date(Date.now() + 60_000).toUTCString());
  assert.ok(wait > 50_000 && wait <= 60_000);
  for (const value of ["", "soon", "-5", "Wed, 21 Oct 2015 07:28:00 GMT"]) assert.equal(await retryAfterOf(value), 0, value);
});

test("the type of an event stream may be written in any case and have parameters", async () => {
  assert.deepEqual(await ask(reply(200, { "Content-Type": "Text/Event-Stream;charset=UTF-8" }, DELTA)), { names: ["delta"] });
});

test("an event stream of zero bytes has no events and no end", async () => {
  assert.deepEqual(await ask(reply(200, EVENTS, "")), { names: [] });
});

test("a server that is not there, or breaks off, is a lost connection", async () => {
  const gone = await ask((request) => request.socket.destroy());
  assert.equal(gone.error.code, "connection_lost");
  const broken = await ask((request, response) => {
    response.writeHead(200, EVENTS).write(DELTA);
    setTimeout(() => request.socket.destroy(), 20);
  });
  assert.deepEqual([broken.names, broken.error.code], [["delta"], "connection_lost"]);
});

test("data that is no JSON breaks the stream off", async () => {
  const { names, error } = await ask(reply(200, EVENTS, `${DELTA}event: delta\ndata: {oops\n\n`));
  assert.deepEqual([names, error.code], [["delta"], "stream_incomplete"]);
});

test("events before one that is too large are given, and then the line is lost", async () => {
  const piece = Buffer.from(`${DELTA}data: ${"x".repeat(MAX_EVENT_BYTES + 1)}`);
  const names = [];
  const reading = (async () => {
    for await (const event of eventsOf(new Response(piece, { headers: EVENTS }), new AbortController().signal)) names.push(event.name);
  })();
  await assert.rejects(reading, { code: "connection_lost" });
  assert.deepEqual(names, ["delta"]);
});

test("letting go is no problem of the line", async () => {
  const line = new AbortController();
  const { error } = await ask((_request, response) => {
    response.writeHead(200, EVENTS).write(DELTA);
    setTimeout(() => line.abort(), 20);
  }, line.signal);
  assert.ok(!(error instanceof Problem));
  assert.ok(line.signal.aborted);
});

test("the question carries its request id, and null for a parent where there is none", async () => {
  let sent = "";
  await ask((request, response) => {
    request.setEncoding("utf-8").on("data", (piece) => (sent += piece));
    request.on("end", () => response.writeHead(200, EVENTS).end());
  });
  const body = JSON.parse(sent);
  assert.deepEqual(Object.keys(body), ["text", "request_id", "model", "parent_id"]);
  assert.equal(body.parent_id, null);
  assert.match(body.request_id, /^req_[0-9a-f]{32}$/);
});
