import { assertEquals, assertThrows } from "@std/assert";
import { FakeRuntime } from "@/tests/support/fake_runtime.ts";
import { HttpExchange } from "./http_exchange.ts";
import type { ConnectionListener } from "./provider_connection.ts";

const SECOND = 1_000;
const HEAD = "HTTP/1.1 200 OK\r\ncontent-length: 20\r\n\r\n";
const encoder = new TextEncoder();

/** A connection whose bytes the test sends; `lost` and `kept` are what the pool was given back. */
class FakePool {
  readonly connection = {
    isPaced: false,
    isPaused: false,
    isSending: false,
    opened: Promise.resolve(),
    listener: undefined as ConnectionListener | undefined,
    setListener: (listener: ConnectionListener | undefined) =>
      void (this.connection.listener = listener),
    write: () => {},
    pause: () => void (this.connection.isPaused = true),
    resume: () => void (this.connection.isPaused = false),
  };
  result: "kept" | "dropped" | undefined;
  encode = () => new Uint8Array();
  take = () => ({ connection: this.connection as never, isReused: true });
  keep = () => void (this.result = "kept");
  drop = () => void (this.result = "dropped");

  receive(text: string): void {
    this.connection.listener!.onBytes(encoder.encode(text));
  }
}

/** An exchange whose head has arrived with `early`; it ends after `most` chunks. */
function open(clock: FakeRuntime, { most = Infinity, early = "" } = {}) {
  const pool = new FakePool();
  const exchange = new HttpExchange({
    pool,
    post: { path: "/", headers: {}, body: new Uint8Array() },
    runtime: clock,
    signal: new AbortController().signal,
    connectMs: 10 * SECOND,
    responseMs: 60 * SECOND,
    idleMs: 60 * SECOND,
  });
  pool.receive(HEAD + early);
  const received: string[] = [];
  exchange.listen({
    onChunk: (chunk) => {
      received.push(new TextDecoder().decode(chunk));
      if (received.length === most) exchange.destroy();
    },
    onEnd: (error) => received.push(error === undefined ? "end" : "error"),
  });
  return { exchange, pool, received };
}

Deno.test("HttpExchange: bytes after a release do not extend the timeout", async () => {
  for (const isReleased of [false, true]) {
    const clock = new FakeRuntime();
    const { exchange, pool } = open(clock);
    if (isReleased) exchange.release(0);
    for (let n = 0; n < 3; n++) {
      await clock.advance(25 * SECOND);
      if (pool.result === undefined) pool.receive("a");
    }
    assertEquals(pool.result, isReleased ? "dropped" : undefined);
    exchange.destroy();
  }
});

Deno.test("HttpExchange: the body that came with the head is delivered first", () => {
  const { pool, received } = open(new FakeRuntime(), { early: "0123456789" });
  pool.receive("abcdefghij");
  assertEquals(received, ["0123456789", "abcdefghij", "end"]);
  assertEquals(pool.result, "kept");
});

Deno.test("HttpExchange: a response that came at once is delivered with its end", () => {
  const { pool, received } = open(new FakeRuntime(), { early: "0123456789abcdefghij" });
  assertEquals(received, ["0123456789abcdefghij", "end"]);
  assertEquals(pool.result, "kept");
});

Deno.test("HttpExchange: a connection with bytes past the response is not kept", () => {
  const { pool, received } = open(new FakeRuntime(), { early: "0123456789abcdefghijHTTP/1.1" });
  assertEquals(received.at(-1), "end");
  assertEquals(pool.result, "dropped");
});

Deno.test("HttpExchange: a connection whose request was not sent whole is not kept", () => {
  const { pool, received } = open(new FakeRuntime());
  pool.connection.isSending = true;
  pool.receive("0123456789abcdefghij");
  assertEquals([received.at(-1), pool.result], ["end", "dropped"]);
});

Deno.test("HttpExchange: chunks before a failure are delivered before it", () => {
  const { exchange, pool, received } = open(new FakeRuntime());
  pool.receive("abc");
  exchange.destroy(new Error("broken"));
  assertEquals(received, ["abc", "error"]);
  assertEquals(pool.result, "dropped");
});

Deno.test("HttpExchange: nothing is delivered after the end", () => {
  const { pool, received } = open(new FakeRuntime(), { most: 1, early: "a" });
  pool.receive("b");
  assertEquals(received, ["a", "end"]);
});

Deno.test("HttpExchange: a connection that ends within a response is a failure", () => {
  const { pool, received } = open(new FakeRuntime(), { early: "abc" });
  pool.connection.listener!.onClosed();
  assertEquals(received, ["abc", "error"]);
});

Deno.test("HttpExchange: a response that we paused does not time out", async () => {
  const clock = new FakeRuntime();
  const { exchange, pool } = open(clock);
  exchange.pause();
  await clock.advance(600 * SECOND);
  assertEquals(pool.result, undefined);
  exchange.resume();
  await clock.advance(120 * SECOND);
  assertEquals(pool.result, "dropped");
});

Deno.test("HttpExchange: a body is read only after the head", () => {
  const exchange = new HttpExchange({
    pool: new FakePool(),
    post: { path: "/", headers: {} },
    runtime: new FakeRuntime(),
    signal: new AbortController().signal,
    connectMs: SECOND,
    responseMs: SECOND,
    idleMs: SECOND,
  });
  assertThrows(() => exchange.listen({ onChunk: () => {}, onEnd: () => {} }), Error, "its head");
  exchange.destroy();
});
