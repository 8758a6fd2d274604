import { assertEquals, assertRejects } from "@std/assert";
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import { EgressServer } from "@/tests/support/egress_server.ts";
import { FakeRuntime } from "@/tests/support/fake_runtime.ts";
import { EgressError } from "./egress_error.ts";

const URL_OF_TOOL = "https://tools.example.com/";
const BOMB = new Uint8Array(8 * 1024 * 1024);

async function codeOf(call: () => Promise<unknown>): Promise<string> {
  return (await assertRejects(call, EgressError)).code;
}

function responding(body: BodyInit | null, headers: Record<string, string> = {}, status = 200) {
  return new EgressServer(() => new Response(body, { status, headers }));
}

/** A body that stalls after its first chunk; `cancelled` settles when its reader is gone. */
function hanging(first: string) {
  const { promise: cancelled, resolve } = Promise.withResolvers<void>();
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(new TextEncoder().encode(first)),
    cancel: () => resolve(),
  });
  return { body, cancelled };
}

Deno.test("Egress: the byte limit is exact while a body streams", async () => {
  await using server = responding("x".repeat(1000));
  const fetch = (maxResponseBytes: number) =>
    server.egress.fetch(server.request(URL_OF_TOOL, { maxResponseBytes }));
  assertEquals((await fetch(1000)).body.length, 1000);
  assertEquals(await codeOf(() => fetch(999)), "tool_response_too_large");
  assertEquals(server.calls.at(-1)?.refused, "the response is larger than 999 bytes");
});

Deno.test("Egress: an endless body is cut off and its connection closed", async () => {
  const { promise: cancelled, resolve } = Promise.withResolvers<void>();
  const endless = new ReadableStream<Uint8Array>({
    pull: (controller) => controller.enqueue(new Uint8Array(16_384)),
    cancel: () => resolve(),
  });
  await using server = responding(endless);
  const call = () => server.egress.fetch(server.request(URL_OF_TOOL));
  assertEquals(await codeOf(call), "tool_response_too_large");
  await cancelled;
});

Deno.test("Egress: the body of a failure is truncated at the limit", async () => {
  await using server = responding("y".repeat(1000), {}, 500);
  const request = server.request(URL_OF_TOOL, { maxResponseBytes: 10 });
  const { status, body, truncated } = await server.egress.fetch(request);
  assertEquals([status, new TextDecoder().decode(body), truncated], [500, "y".repeat(10), true]);
});

Deno.test("Egress: compressed responses are decoded, and a bomb only up to the limit", async () => {
  const text = new TextEncoder().encode("a text that was compressed without being requested");
  const encodings: [string, (data: Uint8Array) => Uint8Array][] = [
    ["gzip", gzipSync],
    ["deflate", deflateSync],
    ["br", brotliCompressSync],
  ];
  for (const [encoding, compress] of encodings) {
    const headers = { "content-encoding": encoding };
    await using honest = responding(new Uint8Array(compress(text)), headers);
    const { body } = await honest.egress.fetch(honest.request(URL_OF_TOOL));
    assertEquals(new TextDecoder().decode(body), new TextDecoder().decode(text), encoding);
    assertEquals(honest.seen[0]?.headers.get("accept-encoding"), "identity");
    await using bomb = responding(new Uint8Array(compress(BOMB)), headers);
    const call = () => bomb.egress.fetch(bomb.request(URL_OF_TOOL));
    assertEquals(await codeOf(call), "tool_response_too_large", encoding);
  }
});

Deno.test("Egress: nested, damaged and unknown encodings fail", async () => {
  const twice = new Uint8Array(gzipSync(gzipSync(new Uint8Array(1000))));
  await using nested = responding(twice, { "content-encoding": "gzip, gzip" });
  assertEquals(
    await codeOf(() => nested.egress.fetch(nested.request(URL_OF_TOOL))),
    "tool_unreachable",
  );
  await using damaged = responding("not gzip at all", { "content-encoding": "gzip" });
  assertEquals(
    await codeOf(() => damaged.egress.fetch(damaged.request(URL_OF_TOOL))),
    "tool_unreachable",
  );
  await using unknown = responding("x", { "content-encoding": "zstd" });
  assertEquals(
    await codeOf(() => unknown.egress.fetch(unknown.request(URL_OF_TOOL))),
    "tool_unreachable",
  );
});

Deno.test("Egress: headers that are too large fail the call", async () => {
  await using server = responding("x", { "x-long": "a".repeat(20_000) });
  const call = () => server.egress.fetch(server.request(URL_OF_TOOL));
  assertEquals(await codeOf(call), "tool_response_too_large");
});

Deno.test("Egress: the deadline of a call includes its body", async () => {
  const runtime = new FakeRuntime();
  const { body, cancelled } = hanging("started");
  await using server = new EgressServer(() => new Response(body), { runtime });
  const answer = await server.egress.open(server.request(URL_OF_TOOL, { timeoutMs: 500 }));
  assertEquals(new TextDecoder().decode((await answer.body.next()).value), "started");
  const rest = answer.body.next();
  await Promise.all([
    runtime.advance(500),
    assertRejects(() => rest, EgressError, "within 500 ms"),
  ]);
  await cancelled;
  assertEquals(server.calls.map(({ bytes, ms }) => [bytes, ms]), [[7, 500]]);
});

Deno.test("Egress: the deadline of a call includes the lookup and a silent server", async () => {
  const runtime = new FakeRuntime();
  const asked = Promise.withResolvers<void>();
  const silent = new EgressServer(() => {
    asked.resolve();
    return new Promise<Response>(() => {});
  }, { runtime });
  const waiting = codeOf(() => silent.egress.fetch(silent.request(URL_OF_TOOL)));
  await asked.promise;
  await runtime.advance(10_000);
  assertEquals(await waiting, "tool_timeout");
  await using lost = new EgressServer(() => new Response("x"), {
    runtime,
    resolver: () => new Promise(() => {}),
  });
  const looking = codeOf(() => lost.egress.fetch(lost.request(URL_OF_TOOL)));
  await runtime.advance(10_000);
  assertEquals(await looking, "tool_timeout");
  assertEquals(runtime.sleeping, 0);
  await silent.abandon();
});

Deno.test("Egress: aborting a call closes its connection at once", async () => {
  const { body, cancelled } = hanging("started");
  await using server = responding(body);
  const stop = new AbortController();
  const request = server.request(URL_OF_TOOL, { signal: stop.signal });
  const answer = await server.egress.open(request);
  await answer.body.next();
  const rest = answer.body.next();
  stop.abort();
  assertEquals((await assertRejects(() => rest, EgressError)).message, "the call was stopped");
  await cancelled;
  assertEquals(await codeOf(() => server.egress.fetch(request)), "tool_timeout");
  assertEquals(server.seen.length, 1);
});

Deno.test("Egress: an unread body is dropped at the deadline", async () => {
  const runtime = new FakeRuntime();
  const { body, cancelled } = hanging("started");
  await using server = new EgressServer(() => new Response(body), { runtime });
  await server.egress.open(server.request(URL_OF_TOOL));
  assertEquals(server.calls, []);
  await runtime.advance(10_000);
  await cancelled;
  assertEquals(server.calls[0]?.refused, "there was no response within 10000 ms");
});

Deno.test("Egress: a tool cannot set the connection's headers", async () => {
  await using server = responding("x");
  const headers = {
    Host: "evil.example",
    Connection: "upgrade",
    Upgrade: "websocket",
    "Transfer-Encoding": "chunked",
    "Content-Length": "999",
    "Proxy-Authorization": "x",
    "X-Own": "kept",
  };
  const body = new TextEncoder().encode("{}");
  await server.egress.fetch(server.request(URL_OF_TOOL, { method: "POST", headers, body }));
  const seen = server.seen[0]!;
  assertEquals(seen.url, URL_OF_TOOL);
  assertEquals(seen.body, "{}");
  assertEquals([...seen.headers.keys()].sort(), [
    "accept-encoding",
    "connection",
    "content-length",
    "host",
    "user-agent",
    "x-own",
  ]);
  assertEquals(seen.headers.get("content-length"), "2");
});

Deno.test("Egress: a second address is tried if the first does not accept connections", async () => {
  await using server = new EgressServer(() => new Response("ok"), {
    addresses: { "tools.example.com": ["2606:4700::1", "93.184.215.14", "93.184.215.15"] },
    unreachable: ["93.184.215.14"],
  });
  assertEquals((await server.egress.fetch(server.request(URL_OF_TOOL))).status, 200);
  assertEquals(server.dialled, ["93.184.215.14", "93.184.215.15"]);
  assertEquals(server.calls[0]?.address, "93.184.215.15");
});
