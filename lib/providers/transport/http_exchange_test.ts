import { assertEquals } from "@std/assert";
import { EventEmitter } from "node:events";
import { PassThrough } from "node:stream";
import { FakeRuntime } from "@/tests/support/fake_runtime.ts";
import { HttpExchange } from "./http_exchange.ts";

const SECOND = 1_000;

/** An exchange whose request and response are emitters, moved by hand; `most` chunks are wanted. */
function open(clock: FakeRuntime, { most = Infinity } = {}) {
  const state = { destroyed: false };
  const request = Object.assign(new EventEmitter(), {
    reusedSocket: true,
    destroy: () => void (state.destroyed = true),
  });
  const exchange = new HttpExchange({
    pool: { secure: false, post: () => request } as never,
    post: { path: "/", headers: {}, body: new Uint8Array() },
    runtime: clock,
    signal: new AbortController().signal,
    connectMs: 10 * SECOND,
    responseMs: 60 * SECOND,
    idleMs: 60 * SECOND,
  });
  const response = new PassThrough();
  request.emit("response", response);
  const told: string[] = [];
  exchange.listen({
    onChunk: (chunk) => {
      if (told.push(`${chunk.byteLength} bytes`) === most) exchange.destroy();
    },
    onEnd: (fault) => told.push(fault === undefined ? "end" : "fault"),
  });
  return { exchange, response, state, told };
}

Deno.test("Exchange: what trickles in after the answer was told whole is no sign of life", async () => {
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

Deno.test("Exchange: what comes together is handed on together, in pieces of a bounded size", async () => {
  const { response, told } = open(new FakeRuntime());
  const ended = new Promise((resolve) => response.once("end", resolve));
  for (const size of [1, 2, 60_000, 6_000, 70_000]) response.write(new Uint8Array(size));
  response.end();
  await ended;
  assertEquals(told, ["60003 bytes", "6000 bytes", "70000 bytes", "end"]);
});

Deno.test("Exchange: what came before a break is handed on before it", () => {
  const { exchange, response, told } = open(new FakeRuntime());
  response.emit("data", new Uint8Array(3));
  exchange.destroy(new Error("broken"));
  response.destroy();
  assertEquals(told, ["3 bytes", "fault"]);
});

Deno.test("Exchange: nothing is handed on after the end", async () => {
  const { response, told } = open(new FakeRuntime(), { most: 1 });
  // The second does not fit beside the first, which is handed on before it is taken.
  for (const size of [60_000, 6_000, 1]) response.emit("data", new Uint8Array(size));
  await Promise.resolve();
  response.emit("data", new Uint8Array(1));
  await Promise.resolve();
  assertEquals(told, ["60000 bytes", "end"]);
  response.destroy();
});
