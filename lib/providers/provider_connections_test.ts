/** Retries, reused connections, timeouts and aborts, the same for every protocol. */
import { assert, assertEquals, assertInstanceOf, assertRejects } from "@std/assert";
import type { Script } from "@/tests/support/mock_providers/script.ts";
import { oneByOne } from "@/tests/support/model_events.ts";
import { onlyEvent, PROTOCOLS, ProviderConnections } from "@/tests/support/provider_connections.ts";
import { ModelError } from "./model.ts";

const busy = (headers: Record<string, string> = {}): Script => ({ status: 429, headers });
const SECOND = 1000;

for (const protocol of PROTOCOLS) {
  Deno.test(`${protocol}: temporary failures are retried with increasing delays`, async () => {
    await using vendors = await ProviderConnections.start();
    const answer = await vendors.ask(protocol, [busy(), { status: 503 }, {}]);
    assertEquals([answer.text, answer.error], ["Hello there.", undefined]);
    const [first = 0, second = 0] = vendors.pauses;
    assert(first >= 125 && first <= 375, `${first}`);
    assert(second >= 250 && second <= 750, `${second}`);
  });

  Deno.test(`${protocol}: nothing is retried once a response has begun`, async () => {
    await using vendors = await ProviderConnections.start();
    const say = [{ text: "One" }, { error: "overloaded" as const }];
    const answer = await vendors.ask(protocol, [{ say, end: "none" }, {}]);
    assertEquals([answer.text, answer.error?.code], ["One", "provider_error"]);
    assertEquals(vendors.mock.requests.length, 1);
  });

  Deno.test(`${protocol}: Retry-After is honoured, never too early`, async () => {
    await using vendors = await ProviderConnections.start();
    const { error } = await vendors.ask(protocol, [busy({ "Retry-After": "7" }), {}]);
    assertEquals(error, undefined);
    const [pause = 0] = vendors.pauses;
    assert(pause >= 7 * SECOND && pause < 7.5 * SECOND, `${pause}`);
  });

  Deno.test(`${protocol}: a Retry-After past the deadline is not awaited`, async () => {
    await using vendors = await ProviderConnections.start();
    const deadline = vendors.clock.now() + 20 * SECOND;
    const script = busy({ "Retry-After": "21" });
    const { error } = await vendors.ask(protocol, script, { deadline });
    assertInstanceOf(error, ModelError);
    assertEquals([error.code, error.retryAfterMs], ["provider_rate_limited", 21 * SECOND]);
    assertEquals([vendors.pauses, vendors.mock.requests.length], [[], 1]);
  });

  Deno.test(`${protocol}: a long Retry-After is honoured if the deadline allows it`, async () => {
    await using vendors = await ProviderConnections.start();
    const deadline = vendors.clock.now() + 30 * SECOND;
    const answer = await vendors.ask(protocol, [busy({ "Retry-After": "21" }), {}], { deadline });
    assertEquals(answer.text, "Hello there.");
  });

  Deno.test(`${protocol}: a slow error body is not waited for`, async () => {
    await using vendors = await ProviderConnections.start();
    vendors.mock.next({ status: 400, body: "so", finish: "hang" });
    const pending = assertRejects(() => vendors.open(protocol), ModelError);
    await vendors.arrived;
    await vendors.clock.advance(2 * SECOND);
    assertEquals((await pending).code, "provider_error");
    await vendors.mock.requests[0]!.gone;
  });

  Deno.test(`${protocol}: an exhausted quota is not retried`, async () => {
    await using vendors = await ProviderConnections.start();
    const body = `{"error":{"code":"insufficient_quota"}}`;
    const { error } = await vendors.ask(protocol, { status: 429, body });
    assertEquals(error.code, "provider_rate_limited");
    assertEquals(vendors.mock.requests.length, 1);
  });

  Deno.test(`${protocol}: sequential requests share a connection`, async () => {
    await using vendors = await ProviderConnections.start();
    for (let n = 0; n < 5; n++) assertEquals((await vendors.ask(protocol)).error, undefined);
    assertEquals(vendors.mock.connections, 1);
  });

  Deno.test(`${protocol}: an error response leaves no connection half read`, async () => {
    await using vendors = await ProviderConnections.start();
    const body = "x".repeat(500_000);
    await vendors.ask(protocol, { status: 400, body });
    assertEquals((await vendors.ask(protocol)).text, "Hello there.");
    assert(vendors.reports[0]!.words!.length <= 2048);
  });

  Deno.test(`${protocol}: a reused connection that was closed is retried immediately`, async () => {
    await using vendors = await ProviderConnections.start();
    await vendors.ask(protocol);
    // The provider closes it while the next request is in flight.
    const answer = await vendors.ask(protocol, [{ garbage: "" }, {}]);
    assertEquals([answer.text, vendors.pauses], ["Hello there.", []]);
    assertEquals(vendors.mock.connections, 2);
  });

  Deno.test(`${protocol}: a request on a failed reused connection is repeated only by our own retries`, async () => {
    await using vendors = await ProviderConnections.start();
    for (const garbage of ["", "nonsense\r\n\r\n"]) {
      await vendors.ask(protocol);
      const before = vendors.mock.requests.length;
      const answer = await vendors.ask(protocol, [{ garbage }, {}]);
      assertEquals(answer.text, "Hello there.");
      assertEquals(vendors.mock.requests.length - before, 2);
    }
  });

  Deno.test(`${protocol}: an abort closes the connection and reports usage`, async () => {
    await using vendors = await ProviderConnections.start();
    const reason = new Error("the run was stopped");
    vendors.mock.next({ say: [{ text: "x".repeat(40) }], end: "none", finish: "hang" });
    const next = oneByOne(await vendors.open(protocol));
    await next();
    vendors.stop.abort(reason);
    await vendors.mock.requests[0]!.gone;
    const value = await next();
    assert(value?.type === "usage" && value.outputTokens >= 20 && value.estimated);
    assertEquals(await assertRejects(next), reason);
    assertEquals(vendors.reports, []);
  });

  Deno.test(`${protocol}: an abort before the response closes the connection`, async () => {
    await using vendors = await ProviderConnections.start();
    const reason = new Error("the run was stopped");
    vendors.mock.next({ silent: true });
    const pending = assertRejects(() => vendors.open(protocol));
    const { gone } = await vendors.mock.asked(1);
    vendors.stop.abort(reason);
    assertEquals(await pending, reason);
    await gone;
    assertEquals(vendors.reports, []);
  });

  Deno.test(`${protocol}: an abort after the request was accepted reports what may be billed`, async () => {
    await using vendors = await ProviderConnections.start();
    const reason = new Error("the run was stopped");
    vendors.mock.next({ body: ": thinking\n\n", finish: "hang" });
    const pending = vendors.open(protocol);
    await vendors.arrived;
    vendors.stop.abort(reason);
    const next = oneByOne(await pending);
    const value = await next();
    assert(value?.type === "usage" && value.inputTokens > 10 && value.estimated);
    assertEquals(await assertRejects(next), reason);
  });

  Deno.test(`${protocol}: with an aborted signal nothing is sent`, async () => {
    await using vendors = await ProviderConnections.start();
    vendors.stop.abort(new Error("stopped"));
    assertEquals((await vendors.ask(protocol)).error.message, "stopped");
    assertEquals(vendors.mock.requests.length, 0);
  });

  Deno.test(`${protocol}: a reader that throws closes the connection`, async () => {
    await using vendors = await ProviderConnections.start();
    vendors.mock.next({ say: [{ text: "One" }], end: "none", finish: "hang" });
    const bug = new TypeError("bug");
    const stream = await vendors.open(protocol);
    const failing = () => {
      throw bug;
    };
    assertEquals(await assertRejects(() => stream.read(failing)), bug);
    assertEquals(vendors.reports, []);
    await vendors.mock.requests[0]!.gone;
  });

  Deno.test(`${protocol}: silence during a response is a provider_timeout`, async () => {
    await using vendors = await ProviderConnections.start();
    vendors.mock.next({ say: [{ text: "One" }], end: "none", finish: "hang" });
    const next = oneByOne(await vendors.open(protocol));
    await next();
    await vendors.clock.advance(120 * SECOND);
    await vendors.mock.requests[0]!.gone;
    assertEquals((await next())?.type, "usage");
    const error = await assertRejects(next, ModelError);
    assertEquals(error.code, "provider_timeout");
    assertEquals(vendors.reports.map(({ code }) => code), ["provider_timeout"]);
  });

  Deno.test(`${protocol}: a slow response without long pauses is read to its end`, async () => {
    await using vendors = await ProviderConnections.start();
    const gates = [1, 2, 3].map(() => Promise.withResolvers<void>());
    const say = gates.flatMap(({ promise }, n) => [{ text: `${n} ` }, { wait: promise }]);
    vendors.mock.next({ say });
    const next = oneByOne(await vendors.open(protocol));
    for (const { resolve } of gates) {
      assertEquals((await next())?.type, "text");
      await vendors.clock.advance(119 * SECOND);
      resolve();
    }
    const rest = [await next(), await next(), await next()];
    assertEquals(rest.map((event) => event?.type), ["usage", "end", undefined]);
  });

  Deno.test(`${protocol}: silence of more than a minute is allowed during a response`, async () => {
    await using vendors = await ProviderConnections.start();
    const thought = Promise.withResolvers<void>();
    vendors.mock.next({ say: [{ comment: "on it" }, { wait: thought.promise }, { text: "42" }] });
    const pending = vendors.open(protocol);
    await vendors.arrived;
    await vendors.clock.advance(119 * SECOND);
    thought.resolve();
    const value = await oneByOne(await pending)();
    assertEquals(value, { type: "text", text: "42" });
  });

  Deno.test(`${protocol}: a missing response is a provider_timeout and is not retried`, async () => {
    await using vendors = await ProviderConnections.start();
    vendors.mock.next({ silent: true });
    const pending = assertRejects(() => vendors.open(protocol), ModelError);
    const { gone } = await vendors.mock.asked(1);
    await vendors.clock.advance(60 * SECOND);
    await gone;
    assertEquals((await pending).code, "provider_timeout");
    assertEquals(vendors.mock.requests.length, 1);
  });
}

Deno.test("a TLS handshake without an answer times out", async () => {
  using listener = Deno.listen({ port: 0, hostname: "127.0.0.1" });
  const accepted = listener.accept();
  const { port } = listener.addr as Deno.NetAddr;
  await using vendors = await ProviderConnections.start({
    baseUrl: () => `https://127.0.0.1:${port}/v1`,
  });
  const pending = assertRejects(() => vendors.open("openai"), ModelError);
  using _socket = await accepted;
  await vendors.clock.advance(10 * SECOND);
  assertEquals((await pending).code, "provider_timeout");
});

Deno.test("a provider that keeps sending after its end mark is disconnected", async () => {
  await using vendors = await ProviderConnections.start();
  const more = [{ text: "All." }, { raw: "data: [DONE]\n\n" }, { raw: ": on\n\n".repeat(20_000) }];
  const { text } = await vendors.ask("openai", { say: more, end: "none", finish: "hang" });
  assertEquals(text, "All.");
  await vendors.mock.requests[0]!.gone;
});

Deno.test("data before the first text may exceed the read buffer", async () => {
  await using vendors = await ProviderConnections.start();
  const say = [{ raw: ": on\n\n".repeat(80_000) }, { text: "All." }];
  assertEquals((await vendors.ask("openai", { say })).text, "All.");
});

Deno.test("a response that nobody reads yet is paused, and nothing of it is lost", async () => {
  await using vendors = await ProviderConnections.start();
  const piece = "0123456789abcdef".repeat(2048);
  vendors.mock.next({ say: Array.from({ length: 64 }, () => ({ text: piece })) });
  const stream = await vendors.open("openai");
  let length = 0;
  await stream.read((event) => void (length += event.type === "text" ? event.text.length : 0));
  assertEquals(length, 64 * piece.length);
});

Deno.test("ModelRegistry.close: closes idle connections", async () => {
  await using vendors = await ProviderConnections.start();
  assertEquals(onlyEvent((await vendors.ask("openai")).events, "end").reason, "stop");
  vendors.close();
  await vendors.mock.requests[0]!.gone;
});
