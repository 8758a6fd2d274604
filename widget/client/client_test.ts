import { assertEquals, assertRejects } from "@std/assert";
import { FakeTime } from "@std/testing/time";
import { setImmediate } from "node:timers";
import {
  AGENT,
  ANSWER,
  reject,
  RUN,
  stream,
  text,
  TOKEN,
} from "../../tests/support/widget_conversation.ts";
import { type Chat, chat, ChatError, type ChatOptions } from "./client.ts";

interface Sent {
  url: string;
  headers: Headers;
  // deno-lint-ignore no-explicit-any -- what was sent, whatever it is
  body: any;
}

function setUp(answers: (() => Response)[], options: Partial<ChatOptions> = {}) {
  const sent: Sent[] = [];
  const fetcher = ((url: string, init: RequestInit) => {
    const body = typeof init.body === "string" ? JSON.parse(init.body) : undefined;
    sent.push({ url, headers: new Headers(init.headers), body });
    return Promise.resolve(abortable(answers.shift()!(), init.signal));
  }) as typeof fetch;
  const started = chat({
    apiBase: "https://chat.example/",
    agentId: AGENT,
    sessionToken: TOKEN,
    messages: [{ role: "user", content: "Hello?" }],
    fetch: fetcher,
    ...options,
  });
  return { chat: started, sent };
}

/** As with the real `fetch`, an abort of the request breaks the body. */
function abortable(response: Response, signal: AbortSignal | null | undefined): Response {
  const body = response.body?.pipeThrough(new TransformStream(), signal ? { signal } : {});
  return new Response(body, response);
}

const types = async (frames: Chat) => (await Array.fromAsync(frames)).map(({ type }) => type);

Deno.test("chat: yields the frames of one message, with its position and the messages left", async () => {
  const { chat, sent } = setUp([() => stream(text(ANSWER))], { model: "demo" });
  assertEquals([chat.position, chat.messagesLeft], ["", undefined]);
  assertEquals(await types(chat), ["start", "delta", "done"]);
  assertEquals([chat.position, chat.messagesLeft], [`${RUN}.3`, 49]);
  const [{ url, headers, body }] = sent as [Sent];
  assertEquals(url, "https://chat.example/v1/chat/stream");
  assertEquals(headers.get("idempotency-key"), chat.idempotencyKey);
  assertEquals({ ...body, requestId: "" }, {
    agentId: AGENT,
    sessionToken: TOKEN,
    messages: [{ role: "user", content: "Hello?" }],
    model: "demo",
    requestId: "",
  });
});

Deno.test("chat: names the run that the message replaces", async () => {
  const { chat, sent } = setUp([() => stream(text(ANSWER))], { replaces: RUN });
  await types(chat);
  assertEquals((sent[0] as Sent).body.replaces, RUN);
});

Deno.test("chat: resumes after a position, and ends without error if nothing is left", async () => {
  const rest = setUp([() => stream(text(ANSWER.slice(1), 2))], { after: `${RUN}.1` });
  assertEquals(await types(rest.chat), ["delta", "done"]);
  assertEquals(rest.sent[0]?.url, `https://chat.example/v1/chat/runs/${RUN}/stream`);
  assertEquals(rest.sent[0]?.headers.get("last-event-id"), `${RUN}.1`);
  const ended = setUp([() => new Response(null, { status: 204 })], { after: `${RUN}.3` });
  assertEquals(await types(ended.chat), []);
});

Deno.test("chat: never starts a run again that cannot be resumed", async () => {
  const { chat, sent } = setUp([() => reject(404, "not_found")], { after: `${RUN}.1` });
  const error = await assertRejects(() => types(chat), ChatError);
  assertEquals([error.code, error.status, sent.length], ["not_found", 404, 1]);
});

Deno.test("chat: calls a token function once more, with the rejected token", async () => {
  const asked: string[] = [];
  const give = (refused: string) => {
    asked.push(refused);
    return Promise.resolve(`cs_token_number_000${asked.length}`);
  };
  const refused = () => reject(401, "session_token_invalid");
  const renewed = setUp([refused, () => stream(text(ANSWER))], { sessionToken: give });
  assertEquals(await types(renewed.chat), ["start", "delta", "done"]);
  assertEquals(asked, ["", "cs_token_number_0001"]);
  const fixed = setUp([refused]);
  const error = await assertRejects(() => types(fixed.chat), ChatError);
  assertEquals([error.code, error.status], ["session_token_invalid", 401]);
});

Deno.test("chat: throws a rejection with what a caller needs to act on it", async () => {
  const more = { retryAfter: 7, scope: "ip_chat" };
  const { chat } = setUp([() => reject(429, "rate_limit_exceeded", more)]);
  const error = await assertRejects(() => types(chat), ChatError);
  const { code, status, scope, retryAfter } = error;
  assertEquals([code, status, scope, retryAfter], ["rate_limit_exceeded", 429, "ip_chat", 7]);
});

Deno.test("chat: stop before the run is known cancels it as soon as its id arrives", async () => {
  const { chat, sent } = setUp([
    () => stream(text(ANSWER)),
    () => new Response(null, { status: 202 }),
  ]);
  chat.stop();
  assertEquals(await types(chat), ["start", "delta", "done"]);
  assertEquals(sent[1]?.url, `https://chat.example/v1/chat/runs/${RUN}/cancel`);
});

Deno.test("chat: close ends the iteration, cancels nothing and sends nothing more", async () => {
  const open = new Response(new ReadableStream(), {
    headers: { "content-type": "text/event-stream", "x-run-id": RUN },
  });
  const links: boolean[] = [];
  const { chat, sent } = setUp([() => open], {
    onLink: (up) => {
      links.push(up);
      queueMicrotask(() => chat.close());
    },
  });
  assertEquals(await types(chat), []);
  assertEquals([sent.length, links], [1, [true]]);
  const unsent = setUp([]);
  unsent.chat.close();
  assertEquals([await types(unsent.chat), unsent.sent], [[], []]);
});

Deno.test("client.d.ts: declares what client.ts exports", async () => {
  const declared: typeof import("./client.d.ts") = await import("./client.ts");
  assertEquals(Object.keys(declared).toSorted(), ["ChatError", "chat"]);
});

/** A service whose streams are silent while its polls work, and time that the test moves. */
function behindProxy(polls: (() => Response)[], options: Partial<ChatOptions> = {}) {
  const apiBase = `https://${crypto.randomUUID()}.example`;
  const sent: Sent[] = [];
  const arrived = Promise.withResolvers<void>();
  const fetcher = ((url: string, { headers, body, signal }: RequestInit) => {
    sent.push({
      url: url.slice(apiBase.length),
      headers: new Headers(headers),
      body: typeof body === "string" ? JSON.parse(body) : undefined,
    });
    if (url.endsWith("/cancel")) return Promise.resolve(new Response(null, { status: 202 }));
    if (url.includes("?wait=25")) return Promise.resolve(abortable(polls.shift()!(), signal));
    arrived.resolve();
    return new Promise((_, reject) => {
      signal!.addEventListener("abort", () => reject(signal!.reason));
    });
  }) as typeof fetch;
  const links: boolean[] = [];
  const ask = () =>
    chat({
      apiBase,
      agentId: AGENT,
      sessionToken: TOKEN,
      messages: [{ role: "user", content: "Hello?" }],
      fetch: fetcher,
      onLink: (up) => void links.push(up),
      ...options,
    });
  return { ask, sent, links, arrived: arrived.promise };
}

/** Moves time, and lets streams deliver what they have. */
async function turn(time: FakeTime, ms: number): Promise<void> {
  await time.tickAsync(ms);
  await new Promise((wake) => setImmediate(wake));
}

/** Moves time until a promise settles. */
async function advanceUntil<T>(time: FakeTime, promise: Promise<T>): Promise<T> {
  let settled = false;
  promise.catch(() => {}).finally(() => settled = true);
  while (!settled) await turn(time, 500);
  return await promise;
}

Deno.test("chat: reads by polls what no byte of a stream has arrived of within 7 s, from then on at once", async () => {
  const polls = [
    () => stream(text(ANSWER.slice(0, 1))),
    () => new Response(null, { status: 204 }),
    () => stream(text(ANSWER.slice(1), 2)),
    () => stream(text(ANSWER)),
  ];
  const t = behindProxy(polls);
  using time = new FakeTime();
  const first = t.ask();
  const received = types(first);
  await t.arrived;
  await time.tickAsync(6_999);
  assertEquals(t.sent.length, 1);
  await time.tickAsync(1);
  assertEquals(await advanceUntil(time, received), ["start", "delta", "done"]);
  assertEquals(t.sent.map(({ url }) => url), [
    "/v1/chat/stream",
    "/v1/chat/stream?wait=25",
    `/v1/chat/runs/${RUN}/stream?wait=25`,
    `/v1/chat/runs/${RUN}/stream?wait=25`,
  ]);
  const [streamed, repeated, ...rest] = t.sent.splice(0);
  for (const { headers } of [streamed!, repeated!]) {
    assertEquals(headers.get("idempotency-key"), first.idempotencyKey);
  }
  const { requestId: _first, ...message } = streamed!.body;
  const { requestId: _second, ...again } = repeated!.body;
  assertEquals(again, message);
  assertEquals(rest.map(({ headers }) => headers.get("last-event-id")), [`${RUN}.1`, `${RUN}.1`]);
  // The connection was never lost.
  assertEquals(t.links, [true, true, true]);
  assertEquals(await types(t.ask()), ["start", "delta", "done"]);
  assertEquals(t.sent.map(({ url }) => url), ["/v1/chat/stream?wait=25"]);
});

Deno.test("chat: a silent stream that polls do not replace is tried again with the next message", async () => {
  const t = behindProxy([() => reject(400, "schema_validation_failed")]);
  using time = new FakeTime();
  const rejected = assertRejects(() => types(t.ask()), ChatError);
  await t.arrived;
  await time.tickAsync(7_000);
  assertEquals((await advanceUntil(time, rejected)).code, "schema_validation_failed");
  const next = t.ask();
  const ended = types(next);
  await time.tickAsync(0);
  next.close();
  assertEquals(await ended, []);
  assertEquals(t.sent.at(-1)?.url, "/v1/chat/stream");
});

Deno.test("chat: a body that begins late counts as buffered, one that has begun does not", async () => {
  const bytes = new TextEncoder().encode("retry: 1500\n\n");
  const begun = (chunks: Uint8Array<ArrayBuffer>[]) => () =>
    stream(
      new ReadableStream({
        start: (controller) => chunks.forEach((chunk) => controller.enqueue(chunk)),
      }),
    );
  for (const [chunks, urls] of [[[], 2], [[bytes], 1]] as const) {
    using time = new FakeTime();
    const apiBase = `https://${crypto.randomUUID()}.example/`;
    const end = () => reject(400, "schema_validation_failed");
    const { chat, sent } = setUp([begun([...chunks]), end], { apiBase });
    const ended = types(chat).catch(() => {});
    for (let seconds = 0; seconds < 29; seconds++) await turn(time, 1_000);
    assertEquals(sent.length, urls);
    chat.close();
    await advanceUntil(time, ended);
  }
});

Deno.test("chat: stop while polling cancels the run and reads its end", async () => {
  const polls = [
    () => stream(text(ANSWER.slice(0, 1))),
    () => stream(text([{ type: "done", finishReason: "cancelled" }], 2)),
  ];
  const t = behindProxy(polls);
  using time = new FakeTime();
  const reply = t.ask();
  const received = types(reply);
  await t.arrived;
  await time.tickAsync(7_000);
  while (reply.position === "") await turn(time, 0);
  reply.stop();
  assertEquals(await advanceUntil(time, received), ["start", "done"]);
  assertEquals(t.sent.map(({ url }) => url).includes(`/v1/chat/runs/${RUN}/cancel`), true);
});

Deno.test("chat: a poll over the limit of its network waits and goes on", async () => {
  const polls = [
    () => stream(text(ANSWER.slice(0, 2))),
    () => reject(429, "rate_limit_exceeded", { scope: "ip_resume", retryAfter: 1 }),
    () => stream(text(ANSWER.slice(2), 3)),
  ];
  const t = behindProxy(polls);
  using time = new FakeTime();
  const received = types(t.ask());
  await t.arrived;
  await time.tickAsync(7_000);
  assertEquals(await advanceUntil(time, received), ["start", "delta", "done"]);
});
