import { assertEquals } from "@std/assert";
import { EgressError } from "@/lib/egress/egress_error.ts";
import { type HttpResponse, repeatCall } from "./repeat_call.ts";

/** Makes a call to a server that is always busy; returns the waits between the attempts. */
async function waitsOf(retryAfter: string | undefined, change: { idempotent?: boolean } = {}) {
  const waits: number[] = [];
  let attempts = 0;
  const headers = retryAfter === undefined ? {} : { "retry-after": retryAfter };
  const busy: HttpResponse = { status: 503, headers, body: new Uint8Array(), truncated: false };
  const { status } = await repeatCall(() => Promise.resolve((attempts++, busy)), {
    ...{ idempotent: true, ...change },
    runtime: { now: () => 0, sleep: (ms) => Promise.resolve(void waits.push(ms)) },
    call: { signal: new AbortController().signal, deadline: 60_000 },
  });
  assertEquals([status, attempts], [503, waits.length + 1]);
  return waits;
}

Deno.test("repeatCall: a busy server is asked three times, no sooner than it wants", async () => {
  assertEquals(await waitsOf(undefined), [250, 900]);
  assertEquals(await waitsOf("2"), [2_000, 2_000]);
  assertEquals(await waitsOf(new Date(5_000).toUTCString()), [5_000, 5_000]);
  for (const unreadable of ["soon", "1e9 seconds"]) {
    assertEquals(await waitsOf(unreadable), [250, 900]);
  }
});

Deno.test("repeatCall: a wait that is too long, and a call that is not idempotent, get no other attempt", async () => {
  for (const long of ["11", "1000000000", "9".repeat(400)]) assertEquals(await waitsOf(long), []);
  assertEquals(await waitsOf("1", { idempotent: false }), []);
});

Deno.test("repeatCall: no attempt begins after the run's deadline", async () => {
  let attempts = 0;
  const failing = () => {
    attempts++;
    return Promise.reject(new EgressError("tool_unreachable", "", { isUnsent: true }));
  };
  const runtime = { now: () => 0, sleep: () => Promise.resolve() };
  const call = { signal: new AbortController().signal, deadline: 800 };
  await repeatCall(failing, { idempotent: false, runtime, call }).catch(() => {});
  assertEquals(attempts, 2);
});
