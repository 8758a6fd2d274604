import { assertEquals } from "@std/assert";
import { FakeRuntime, fakeUuid, flushMicrotasks } from "@/tests/support/fake_runtime.ts";
import { Followers } from "../chat/followers.ts";
import { RunLog } from "../chat/log/run_log.ts";
import type { Frame } from "../schemas/frames.ts";
import { pollResponse } from "./poll_response.ts";
import { sseResponse } from "./sse_response.ts";

const RUN = fakeUuid(1);
const FRAMES: Frame[] = [
  { type: "delta", text: "Grüße\n\u2028" },
  { type: "delta", text: "b" },
  { type: "done", finishReason: "stop" },
];

/** A run that is abandoned as soon as it has no follower. */
function open(frames: readonly Frame[] = []) {
  const runtime = new FakeRuntime();
  const log = new RunLog();
  const ends: number[] = [];
  const seen = { abandoned: false, ends };
  const followers = new Followers({
    runtime,
    abandonedAfterMs: 0,
    isFollowedElsewhere: () => Promise.resolve(false),
    onAbandoned: () => seen.abandoned = true,
  });
  const recordEnd = (n: number) => Promise.resolve(void ends.push(n));
  for (const frame of frames) log.append(frame);
  return { run: { id: RUN, log, followers, recordEnd }, runtime, seen };
}

Deno.test("pollResponse: the bytes of the stream after every position, with their length", async () => {
  for (let after = 0; after < FRAMES.length; after++) {
    const { run, runtime } = open(FRAMES);
    const poll = await pollResponse(run, { runtime, after, waitMs: 25_000 });
    const bytes = await poll.bytes();
    const stream = sseResponse(run, { runtime, after });
    assertEquals(bytes, await stream.bytes());
    assertEquals(poll.headers.get("content-length"), String(bytes.length));
    poll.headers.delete("content-length");
    assertEquals(Object.fromEntries(poll.headers), Object.fromEntries(stream.headers));
    assertEquals(runtime.sleeping, 0);
  }
});

Deno.test("pollResponse: waits for the first frame and sends those that are appended with it", async () => {
  const { run, runtime } = open(FRAMES.slice(0, 1));
  const poll = pollResponse(run, { runtime, after: 1, waitMs: 25_000 });
  await runtime.advance(24_999);
  for (const frame of FRAMES.slice(1)) run.log.append(frame);
  const text = await (await poll).text();
  assertEquals(text, await sseResponse(run, { runtime, after: 1 }).text());
  assertEquals(runtime.sleeping, 0);
});

Deno.test("pollResponse: a client ahead of the log waits for the frames after its position", async () => {
  const { run, runtime } = open();
  const poll = pollResponse(run, { runtime, after: 1, waitMs: 25_000 });
  run.log.append(FRAMES[0]!);
  await flushMicrotasks();
  run.log.append(FRAMES[1]!);
  assertEquals((await (await poll).text()).match(/^id: .*$/gm), [`id: ${RUN}.2`]);
});

Deno.test("pollResponse: is a comment when nothing happens in time, the process ends, or the client leaves", async () => {
  const { run, runtime } = open();
  const late = pollResponse(run, { runtime, waitMs: 25_000 });
  await runtime.advance(25_000);
  assertEquals((await late).status, 204);
  for (const name of ["closing", "gone"] as const) {
    const leaving = new AbortController();
    const poll = pollResponse(run, { runtime, waitMs: 25_000, [name]: leaving.signal });
    leaving.abort();
    assertEquals((await poll).status, 204);
    const again = pollResponse(run, { runtime, waitMs: 25_000, [name]: leaving.signal });
    assertEquals((await again).status, 204);
  }
  const closing = new AbortController();
  await pollResponse(run, { runtime, waitMs: 0, closing: closing.signal });
  await runtime.advance(0);
  closing.abort();
  // Neither the polls nor the time between them outlives the process.
  await runtime.advance(10_000);
  assertEquals(runtime.sleeping, 0);
});

Deno.test("pollResponse: the client follows the run while it waits and for 10 s after each response", async () => {
  const { run, runtime, seen } = open();
  for (let polls = 0; polls < 3; polls++) {
    const poll = pollResponse(run, { runtime, waitMs: 30_000 });
    await runtime.advance(30_000);
    await poll;
    await runtime.advance(9_999);
    assertEquals(seen.abandoned, false);
  }
  await runtime.advance(1);
  assertEquals(seen.abandoned, true);
});

Deno.test("pollResponse: no follower is left waiting for a run that has ended", async () => {
  const { run, runtime, seen } = open(FRAMES.slice(0, 2));
  await pollResponse(run, { runtime, waitMs: 25_000 });
  run.log.append(FRAMES[2]!);
  await pollResponse(run, { runtime, after: 2, waitMs: 25_000 });
  await runtime.advance(10_000);
  assertEquals([runtime.sleeping, seen.abandoned], [0, false]);
});

Deno.test("pollResponse: sends long logs in parts, frames whole, and records an interrupted end with its last part", async () => {
  const long: Frame[] = Array.from({ length: 5 }, () => ({ type: "delta", text: "x".repeat(1e5) }));
  const { run, runtime, seen } = open(long);
  run.log.interrupt();
  const whole = await sseResponse(run, { runtime }).text();
  seen.ends.length = 0;
  const opening = "retry: 1500\n\n";
  let text = opening;
  for (const { after, ends } of [{ after: 0, ends: [] }, { after: 3, ends: [7] }]) {
    const poll = await pollResponse(run, { runtime, after, waitMs: 25_000 });
    text += (await poll.text()).slice(opening.length);
    assertEquals(seen.ends, ends);
  }
  assertEquals(text, whole);
});
