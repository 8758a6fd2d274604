import { assert, assertEquals } from "@std/assert";
import { DelayingProxy } from "./delaying_proxy.ts";

const DELAY_MS = 20;

/** A server that answers every body with the same. */
function echo(): Deno.HttpServer<Deno.NetAddr> {
  const options = { port: 0, hostname: "127.0.0.1", onListen: () => {} };
  return Deno.serve(options, (request) => new Response(request.body));
}

Deno.test("DelayingProxy: all bytes come through in order, and not before their time", async () => {
  await using server = echo();
  await using proxy = new DelayingProxy({ port: server.addr.port, delayMs: DELAY_MS });
  const body = Uint8Array.from({ length: 300_000 }, (_, n) => n * n % 251);
  const begun = performance.now();
  const answers = await Promise.all([1, 2, 3].map(async () => {
    const response = await fetch(proxy.url, { method: "POST", body });
    return await response.bytes();
  }));
  // Timers may be a fraction of a millisecond early.
  assert(performance.now() - begun > 2 * DELAY_MS - 2);
  for (const answer of answers) assertEquals(answer, body);
});

Deno.test("DelayingProxy: where nothing listens, the client's connection is closed", async () => {
  // No service of this machine has the first of all ports.
  await using proxy = new DelayingProxy({ port: 1, delayMs: DELAY_MS });
  const failed = await fetch(proxy.url).then(() => false, () => true);
  assert(failed);
});
