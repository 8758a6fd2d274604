import { assertEquals, assertRejects } from "@std/assert";
import { FakeRuntime, fakeUuid, flushMicrotasks } from "@/tests/support/fake_runtime.ts";
import { Run } from "../chat/run.ts";
import type { Frame } from "../schemas/frames.ts";
import { encodeFrame } from "./encoders/native_encoder.ts";
import type { StreamEncoder } from "./encoders/stream_encoder.ts";
import { sseResponse } from "./sse_response.ts";

const RUN = fakeUuid(1);
const FRAMES: Frame[] = [
  { type: "delta", text: "Grüße\n\u2028" },
  { type: "delta", text: "b" },
  { type: "usage", inputTokens: 1, outputTokens: 2, costUsd: 0 },
  { type: "done", finishReason: "stop" },
];

function open(frames: readonly Frame[] = []) {
  const runtime = new FakeRuntime();
  const run = new Run({
    startedBy: "key-1",
    onFrame: () => {},
    isFollowedElsewhere: () => Promise.resolve(false),
    settle: ({ costMicroUsd }) => Promise.resolve({ charged: costMicroUsd }),
    tenant: fakeUuid(801),
    metadata: () => ({}),
    runId: RUN,
    requestId: "request-1",
    conversationId: fakeUuid(2),
    primary: { provider: "vendor_a", model: "m" },
    runtime,
    abandonedAfterMs: 30_000,
    price: () => ({ inputUsdPerMTok: 0, outputUsdPerMTok: 0 }),
    reportError: () => {},
  });
  for (const frame of frames) run.log.append(frame);
  return { run, runtime };
}

/** The wire text of frames `from`, `from + 1`, … */
function wire(from: number, frames: readonly Frame[]): string {
  return frames.map((frame, i) => encodeFrame(RUN, { n: from + i, frame })).join("");
}

/** Reads chunk after chunk, as text. */
function reading(response: Response) {
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  return { next: async () => (await reader.read()).value, cancel: () => reader.cancel() };
}

Deno.test("encodeFrame: id, event, one line of data and a blank line, to the byte", () => {
  assertEquals(
    encodeFrame(RUN, { n: 7, frame: { type: "delta", text: "a\r\nb" } }),
    `id: ${RUN}.7\nevent: delta\ndata: {"type":"delta","text":"a\\r\\nb"}\n\n`,
  );
});

Deno.test("sseResponse: sets headers against buffering and the run's id", () => {
  const { run, runtime } = open(FRAMES);
  const { headers, status } = sseResponse(run, { runtime, headers: { "x-plan-warning": "w" } });
  assertEquals(status, 200);
  assertEquals(Object.fromEntries(headers), {
    "cache-control": "no-cache, no-transform",
    "content-type": "text/event-stream; charset=utf-8",
    "x-accel-buffering": "no",
    "x-plan-warning": "w",
    "x-run-id": RUN,
  });
});

Deno.test("sseResponse: a finished run is the retry field and its frames", async () => {
  const { run, runtime } = open(FRAMES);
  const text = await sseResponse(run, { runtime }).text();
  assertEquals(text, "retry: 1500\n\n" + wire(1, FRAMES));
  assertEquals(runtime.sleeping, 0);
});

Deno.test("sseResponse: resuming from any position gives exactly the remaining frames", async () => {
  for (let after = 0; after <= FRAMES.length; after++) {
    const { run, runtime } = open(FRAMES);
    const text = await sseResponse(run, { runtime, after }).text();
    assertEquals(text, "retry: 1500\n\n" + wire(after + 1, FRAMES.slice(after)));
  }
});

Deno.test("sseResponse: a position past the end of a finished run ends immediately", async () => {
  const { run, runtime } = open(FRAMES);
  assertEquals(await sseResponse(run, { runtime, after: 99 }).text(), "retry: 1500\n\n");
  assertEquals(runtime.sleeping, 0);
});

Deno.test("sseResponse: retry comes first, before there is a frame", async () => {
  const { run, runtime } = open();
  const stream = reading(sseResponse(run, { runtime }));
  assertEquals(await stream.next(), "retry: 1500\n\n");
  const next = stream.next();
  run.log.append(FRAMES[0]!);
  assertEquals(await next, wire(1, FRAMES.slice(0, 1)));
  await stream.cancel();
});

Deno.test("sseResponse: sends a ping after every 10 s without frames", async () => {
  const { run, runtime } = open(FRAMES.slice(0, 1));
  const stream = reading(sseResponse(run, { runtime }));
  await stream.next();
  let next = stream.next();
  await turn();
  await runtime.advance(9_999);
  run.log.append(FRAMES[1]!);
  assertEquals(await next, wire(2, FRAMES.slice(1, 2)));
  for (let ping = 0; ping < 2; ping++) {
    next = stream.next();
    await turn();
    await runtime.advance(10_000);
    assertEquals(await next, ": ping\n\n");
  }
  await stream.cancel();
});

Deno.test("sseResponse: two clients read the same frames, each at its own speed", async () => {
  const { run, runtime } = open(FRAMES.slice(0, 2));
  const [slow, fast] = [sseResponse(run, { runtime }), reading(sseResponse(run, { runtime }))];
  assertEquals(await fast.next(), "retry: 1500\n\n" + wire(1, FRAMES.slice(0, 2)));
  const next = fast.next();
  for (const frame of FRAMES.slice(2)) run.log.append(frame);
  assertEquals(await next, wire(3, FRAMES.slice(2)));
  assertEquals(await fast.next(), undefined);
  assertEquals(await slow.text(), "retry: 1500\n\n" + wire(1, FRAMES));
});

Deno.test("sseResponse: when the last client disconnects, the run is cancelled", async () => {
  const { run, runtime } = open(FRAMES.slice(0, 1));
  const stream = reading(sseResponse(run, { runtime }));
  await stream.next();
  const next = stream.next();
  await turn();
  await stream.cancel();
  assertEquals(await next, undefined);
  await flushMicrotasks();
  assertEquals(runtime.sleeping, 1);
  await runtime.advance(30_000);
  assertEquals(run.signal.aborted, true);
});

Deno.test("sseResponse: a client that disconnects after the end leaves no timer", async () => {
  const { run, runtime } = open(FRAMES);
  const response = sseResponse(run, { runtime });
  await response.body!.cancel();
  assertEquals(runtime.sleeping, 0);
});

Deno.test("sseResponse: a client that leaves while it gets the last chunk leaves no error and no timer", async () => {
  const { run, runtime } = open();
  const reader = sseResponse(run, { runtime }).body!.getReader();
  await reader.read();
  const last = reader.read();
  await turn();
  const { prototype } = ReadableStreamDefaultController;
  const { enqueue } = prototype;
  // The server's own reader notices a closed connection in the same turn.
  prototype.enqueue = function (chunk) {
    enqueue.call(this, chunk);
    void reader.cancel();
  };
  try {
    for (const frame of FRAMES) run.log.append(frame);
    await turn();
  } finally {
    prototype.enqueue = enqueue;
  }
  await last;
  assertEquals(runtime.sleeping, 0);
});

Deno.test("sseResponse: a client ahead of the log waits with pings and gets later frames", async () => {
  const { run, runtime } = open(FRAMES.slice(0, 1));
  const stream = reading(sseResponse(run, { runtime, after: 3 }));
  assertEquals(await stream.next(), "retry: 1500\n\n");
  const next = stream.next();
  await turn();
  await runtime.advance(6_000);
  // What it has already is no news to it.
  run.log.append(FRAMES[1]!);
  await turn();
  await runtime.advance(4_000);
  assertEquals(await next, ": ping\n\n");
  run.log.append(FRAMES[2]!);
  run.log.append(FRAMES[3]!);
  assertEquals(await stream.next(), wire(4, FRAMES.slice(3)));
  assertEquals(await stream.next(), undefined);
  assertEquals(runtime.sleeping, 0);
});

Deno.test("sseResponse: a client that stops reading costs one chunk and is disconnected after 60 s", async () => {
  const { run, runtime } = open();
  for (let n = 0; n < 100; n++) run.log.append({ type: "delta", text: "x".repeat(10_000) });
  const reader = sseResponse(run, { runtime }).body!.getReader();
  const { value } = await reader.read();
  assertEquals(value!.length > 64 * 1024 && value!.length < 80 * 1024, true);
  await runtime.advance(59_999);
  assertEquals((await reader.read()).done, false);
  // It moves: slow is not stalled.
  await runtime.advance(59_999);
  assertEquals((await reader.read()).done, false);
  await runtime.advance(60_000);
  await assertRejects(() => reader.read(), Error, "stopped reading");
  // Nobody else follows the run.
  await runtime.advance(30_000);
  assertEquals(run.signal.aborted, true);
});

Deno.test("sseResponse: shutdown sends all available frames and ends the stream", async () => {
  const closing = new AbortController();
  const { run, runtime } = open(FRAMES.slice(0, 1));
  const options = { runtime, closing: closing.signal };
  const stream = reading(sseResponse(run, options));
  assertEquals(await stream.next(), "retry: 1500\n\n" + wire(1, FRAMES.slice(0, 1)));
  const next = stream.next();
  await turn();
  run.log.append(FRAMES[1]!);
  closing.abort();
  assertEquals(await next, wire(2, FRAMES.slice(1, 2)));
  assertEquals(await stream.next(), undefined);
  assertEquals(
    await sseResponse(run, options).text(),
    "retry: 1500\n\n" + wire(1, FRAMES.slice(0, 2)),
  );
});

Deno.test("sseResponse: the end of an interrupted run is sent once", async () => {
  for (const after of [0, 2, 9]) {
    const { run, runtime } = open(FRAMES.slice(0, 2));
    run.log.interrupt();
    const text = await sseResponse(run, { runtime, after }).text();
    const ids = [...text.matchAll(/^id: .*\.(\d+)\nevent: (\w+)/gm)].map((
      [, n, type],
    ) => [n, type]);
    const last = Math.max(2, after);
    assertEquals(ids.slice(-2), [[`${last + 1}`, "error"], [`${last + 2}`, "done"]]);
    assertEquals(ids.length, Math.max(0, 2 - after) + 2);
  }
});

/** One turn of the event loop: streams hand a wish to read on between turns. */
function turn(): Promise<void> {
  const { port1, port2 } = new MessageChannel();
  return new Promise((resolve) => {
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(null);
  });
}

/** A format with an event for texts only, and a running number. */
function textEncoder(): StreamEncoder {
  let n = 0;
  return {
    opening: ": open\n\n",
    resumes: false,
    encode: ({ frame }) => frame.type === "delta" ? `data: ${++n} ${frame.text}\n\n` : "",
  };
}

Deno.test("sseResponse: another format, also from a later frame, and frames without an event", async () => {
  const frames: Frame[] = [
    { type: "delta", text: "a" },
    { type: "tool_call", name: "t", args: {} },
    { type: "delta", text: "b" },
    { type: "done", finishReason: "stop" },
  ];
  const whole = ["data: 1 a\n\n", "", "data: 2 b\n\n", ""];
  for (let after = 0; after <= frames.length; after++) {
    const { run, runtime } = open(frames);
    const response = sseResponse(run, { runtime, after, encoder: textEncoder() });
    assertEquals(await response.text(), ": open\n\n" + whole.slice(after).join(""));
  }
  // A frame without an event must not end the reading of a stream that is being written.
  const { run, runtime } = open(frames.slice(0, 1));
  const stream = reading(sseResponse(run, { runtime, encoder: textEncoder() }));
  assertEquals(await stream.next(), ": open\n\ndata: 1 a\n\n");
  const next = stream.next();
  await flushMicrotasks();
  run.log.append(frames[1]!);
  await flushMicrotasks();
  run.log.append(frames[2]!);
  assertEquals(await next, "data: 2 b\n\n");
  await stream.cancel();
});

Deno.test("sseResponse: a client that does not come back sees a stream that ends early as broken", async () => {
  for (const resumes of [true, false]) {
    const { run, runtime } = open(FRAMES.slice(0, 1));
    const closing = new AbortController();
    const encoder = { ...textEncoder(), resumes };
    const stream = reading(sseResponse(run, { runtime, closing: closing.signal, encoder }));
    await stream.next();
    const next = stream.next();
    closing.abort();
    if (resumes) assertEquals(await next, undefined);
    else await assertRejects(() => next, Error, "shutting down");
  }
});

Deno.test("sseResponse: ends for a client that has lost its access, and sends nothing more", async () => {
  const { run, runtime } = open(FRAMES.slice(0, 1));
  const asked: boolean[] = [];
  let isAllowed = true;
  const response = sseResponse(run, {
    runtime,
    isAllowed: () => {
      asked.push(isAllowed);
      return Promise.resolve(isAllowed);
    },
  });
  const stream = reading(response);
  assertEquals((await stream.next())?.includes("Grüße"), true);
  await runtime.advance(5_000);
  await flushMicrotasks();
  isAllowed = false;
  await runtime.advance(5_000);
  await flushMicrotasks();
  assertEquals(asked, [true, false]);
  run.log.append(FRAMES[1]!);
  assertEquals(await stream.next(), ": ping\n\n");
  await assertRejects(() => stream.next(), Error, "lost its access");
  await runtime.advance(60_000);
  assertEquals(asked, [true, false], "and is not asked again");
});

Deno.test("sseResponse: an access check that fails does not end the stream", async () => {
  const { run, runtime } = open();
  const isAllowed = () => Promise.reject(new Error("the store does not answer"));
  const stream = reading(sseResponse(run, { runtime, isAllowed }));
  await stream.next();
  await runtime.advance(5_000);
  await flushMicrotasks();
  run.log.append(FRAMES[1]!);
  assertEquals(await stream.next(), wire(1, [FRAMES[1]!]));
  await stream.cancel();
});
