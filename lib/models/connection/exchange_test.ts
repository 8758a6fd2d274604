import { assertEquals } from "@std/assert";
import { EventEmitter } from "node:events";
import { PassThrough } from "node:stream";
import { FakeSystem } from "@/tests/support/fake_system.ts";
import { Exchange } from "./exchange.ts";

const SECOND = 1_000;

/** An exchange whose request and response are emitters, moved by hand. */
function open(clock: FakeSystem) {
  const state = { destroyed: false };
  const request = Object.assign(new EventEmitter(), {
    reusedSocket: true,
    destroy: () => void (state.destroyed = true),
  });
  const exchange = new Exchange({
    connection: { secure: false, post: () => request } as never,
    post: { path: "/", headers: {}, body: new Uint8Array() },
    system: clock,
    signal: new AbortController().signal,
    connectMs: 10 * SECOND,
    headMs: 60 * SECOND,
    idleMs: 60 * SECOND,
  });
  const response = new PassThrough();
  request.emit("response", response);
  exchange.listen({ onChunk: () => {}, onEnd: () => {} });
  return { exchange, response, state };
}

Deno.test("Exchange: what trickles in after the answer was told whole is no sign of life", async () => {
  for (const released of [false, true]) {
    const clock = new FakeSystem();
    const { exchange, response, state } = open(clock);
    if (released) exchange.release();
    for (let n = 0; n < 3; n++) {
      await clock.advance(25 * SECOND);
      response.emit("data", new Uint8Array(1));
    }
    assertEquals(state.destroyed, released);
    exchange.destroy();
    response.destroy();
  }
});
