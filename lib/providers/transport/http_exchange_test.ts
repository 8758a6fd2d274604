import { assertEquals } from "@std/assert";
import { EventEmitter } from "node:events";
import { PassThrough } from "node:stream";
import { FakeRuntime } from "@/tests/support/fake_runtime.ts";
import { HttpExchange } from "./http_exchange.ts";

const SECOND = 1_000;

/** An exchange with emitters for request and response; it ends after `most` chunks. */
function open(clock: FakeRuntime, { most = Infinity } = {}) {
  const state = { destroyed: false };
  const request = Object.assign(new EventEmitter(), {
    reusedSocket: true,
    destroy: () => void (state.destroyed = true),
  });
  const exchange = new HttpExchange({
    pool: { secure: false, send: () => request } as never,
    post: { path: "/", headers: {}, body: new Uint8Array() },
    runtime: clock,
    signal: new AbortController().signal,
    connectMs: 10 * SECOND,
    responseMs: 60 * SECOND,
    idleMs: 60 * SECOND,
  });
  const response = new PassThrough();
  request.emit("response", response);
  const received: string[] = [];
  exchange.listen({
    onChunk: (chunk) => {
      if (received.push(`${chunk.byteLength} bytes`) === most) exchange.destroy();
    },
    onEnd: (error) => received.push(error === undefined ? "end" : "error"),
  });
  return { exchange, response, state, received };
}

Deno.test("HttpExchange: bytes after a release do not extend the timeout", async () => {
  for (const released of [false, true]) {
    const clock = new FakeRuntime();
    const { exchange, response, state } = open(clock);
    if (released) exchange.release(0);
    for (let n = 0; n < 3; n++) {
      await clock.advance(25 * SECOND);
      response.emit("data", new Uint8Array(1));
    }
    assertEquals(state.destroyed, released);
    exchange.destroy();
    response.destroy();
  }
});

Deno.test("HttpExchange: chunks that arrive together are combined up to a limit", async () => {
  const { response, received } = open(new FakeRuntime());
  const ended = new Promise((resolve) => response.once("end", resolve));
  for (const size of [1, 2, 60_000, 6_000, 70_000]) response.write(new Uint8Array(size));
  response.end();
  await ended;
  assertEquals(received, ["60003 bytes", "6000 bytes", "70000 bytes", "end"]);
});

Deno.test("HttpExchange: chunks before a failure are delivered before it", () => {
  const { exchange, response, received } = open(new FakeRuntime());
  response.emit("data", new Uint8Array(3));
  exchange.destroy(new Error("broken"));
  response.destroy();
  assertEquals(received, ["3 bytes", "error"]);
});

Deno.test("HttpExchange: nothing is delivered after the end", async () => {
  const { response, received } = open(new FakeRuntime(), { most: 1 });
  // Both together exceed the limit, so the first is delivered alone.
  for (const size of [60_000, 6_000, 1]) response.emit("data", new Uint8Array(size));
  await Promise.resolve();
  response.emit("data", new Uint8Array(1));
  await Promise.resolve();
  assertEquals(received, ["60000 bytes", "end"]);
  response.destroy();
});
