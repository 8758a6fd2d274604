import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import type { Frame } from "../lib/wire/frames.ts";
import { type ChatClient, type ChatRequest, createChatClient } from "./chat_client.ts";
import { Conversation } from "./conversation.ts";
import { createEmitter } from "./emitter.ts";
import { createStore } from "./store.ts";

const AGENT = "7d0e2f7c-4f65-4c8e-9a37-0a6f2b1f4c11";
const RUN = "0b6c7a1e-57c3-4a52-9c1c-3d9a5a1f0e77";
const CONVERSATION = "5f1c2d3e-aaaa-4bbb-8ccc-121212121212";
const TOKEN = "cs_0123456789abcdef";
const START: Frame = {
  type: "start",
  requestId: "request-1",
  runId: RUN,
  provider: "vendor_a",
  model: "demo",
  conversationId: CONVERSATION,
};
const ANSWER: Frame[] = [START, { type: "delta", text: "Hi." }, {
  type: "done",
  finishReason: "stop",
}];

interface Seen {
  url: string;
  headers: Headers;
  body: ChatRequest | undefined;
  signal: AbortSignal | null | undefined;
}

/** A service that answers each request with the next of `answers`; the last one repeats. */
function setUp(...answers: (() => Response | Promise<Response>)[]) {
  const seen: Seen[] = [];
  const warnings: string[] = [];
  const emitter = createEmitter();
  const store = createStore();
  let ids = 0;
  const fetcher = ((input: string, init: RequestInit) => {
    const body = typeof init.body === "string" ? JSON.parse(init.body) : undefined;
    seen.push({ url: input, headers: new Headers(init.headers), body, signal: init.signal });
    return Promise.resolve((answers.length > 1 ? answers.shift()! : answers[0]!)());
  }) as typeof fetch;
  const client: ChatClient = createChatClient("https://chat.example", fetcher);
  const conversation = new Conversation(store, {
    agentId: AGENT,
    sessionToken: TOKEN,
    pageOrigin: "https://shop.example",
    client,
    emitter,
    newId: () => `id-that-is-long-enough-${++ids}`,
    now: () => 1_000_000,
    warn: (text) => warnings.push(text),
  });
  return { conversation, emitter, store, seen, warnings };
}

const text = (frames: Frame[]) =>
  frames.map((frame) => `data: ${JSON.stringify(frame)}\n\n`).join("");

function stream(body: BodyInit): Response {
  const headers = { "content-type": "text/event-stream; charset=utf-8", "x-run-id": RUN };
  return new Response(body, { headers });
}

function refuse(status: number, code: string, more: { retryAfter?: number; scope?: string } = {}) {
  const headers = new Headers({ "x-request-id": "request-9" });
  if (more.retryAfter) headers.set("retry-after", `${more.retryAfter}`);
  const details = more.scope ? { scope: more.scope } : undefined;
  return Response.json({ code, message: "not for visitors", http: status, details }, {
    status,
    headers,
  });
}

/** Resolves when the conversation is idle again. */
function idle({ store }: ReturnType<typeof setUp>): Promise<void> {
  return new Promise((resolve) => {
    const check = () => store.get().phase === "idle" && setTimeout(resolve, 0);
    store.subscribe(check);
    check();
  });
}

Deno.test("Conversation.send: posts what the specification asks for", async () => {
  const t = setUp(() => stream(text(ANSWER)));
  assertEquals(t.conversation.send("  Hello?  "), true);
  await idle(t);
  const [{ url, headers, body }] = t.seen as [Seen];
  assertEquals(url, "https://chat.example/v1/chat/stream");
  assertEquals(headers.get("content-type"), "application/json");
  assertEquals(headers.get("x-service-session"), TOKEN);
  assert(headers.get("idempotency-key")!.length >= 16);
  assertEquals(body, {
    agentId: AGENT,
    sessionToken: TOKEN,
    messages: [{ role: "user", content: "Hello?" }],
    requestId: body!.requestId,
  });
});

Deno.test("Conversation.send: the second question carries the conversation and what was said", async () => {
  const t = setUp(() => stream(text(ANSWER)));
  t.conversation.send("One");
  await idle(t);
  t.conversation.send("Two");
  await idle(t);
  assertEquals(t.seen[1]?.body?.conversationId, CONVERSATION);
  assertEquals(t.seen[1]?.body?.messages.map((message) => message.content), ["One", "Hi.", "Two"]);
});

Deno.test("Conversation.send: takes nothing empty, and nothing while an answer arrives", async () => {
  const t = setUp(() => stream(text(ANSWER)));
  assertEquals(t.conversation.send(" \n "), false);
  t.conversation.send("One");
  assertEquals(t.conversation.send("Two"), false);
  await idle(t);
  assertEquals(t.seen.length, 1);
});

Deno.test("Conversation.retry: after a dropped connection the same run is asked for again", async () => {
  const cut = text(ANSWER.slice(0, 2));
  const t = setUp(() => stream(cut), () => stream(text(ANSWER)));
  t.conversation.send("Hello?");
  await idle(t);
  assertEquals(t.store.get().failure?.code, "connection_dropped");
  t.conversation.retry();
  await idle(t);
  const [first, second] = t.seen as [Seen, Seen];
  assertEquals(second.headers.get("idempotency-key"), first.headers.get("idempotency-key"));
  assertEquals({ ...second.body, requestId: "" }, { ...first.body, requestId: "" });
  assertEquals(t.store.get().turns.map((turn) => turn.text), ["Hello?", "Hi."]);
});

Deno.test("Conversation.retry: after the service refused, a new run is asked for", async () => {
  const t = setUp(() => refuse(502, "provider_error"), () => stream(text(ANSWER)));
  t.conversation.send("Hello?");
  await idle(t);
  t.conversation.retry();
  await idle(t);
  const keys = t.seen.map((request) => request.headers.get("idempotency-key"));
  assertEquals(new Set(keys).size, 2);
  assertEquals(t.store.get().failure, undefined);
});

Deno.test("Conversation.stop: aborts the request, cancels the run and keeps the words", async () => {
  const open = new ReadableStream({
    start: (controller) => controller.enqueue(new TextEncoder().encode(text(ANSWER.slice(0, 2)))),
  });
  const t = setUp(() => stream(open), () => new Response(null, { status: 202 }));
  const answering = new Promise<void>((resolve) => {
    t.store.subscribe(() => t.store.get().phase === "answering" && resolve());
  });
  t.conversation.send("Hello?");
  await answering;
  t.conversation.stop();
  assertEquals(t.seen[0]?.signal?.aborted, true);
  assertEquals(t.seen[1]?.url, `https://chat.example/v1/chat/runs/${RUN}/cancel`);
  assertEquals(t.seen[1]?.headers.get("x-service-session"), TOKEN);
  assertEquals(t.store.get().turns.at(-1)?.ending, "stopped");
  assertEquals([t.store.get().phase, t.warnings], ["idle", []]);
  await open.cancel().catch(() => {});
});

Deno.test("Conversation: 403 origin_not_allowed says session token rejected and what to do", async () => {
  const t = setUp(() => refuse(403, "origin_not_allowed"));
  t.conversation.send("Hello?");
  await idle(t);
  assertStringIncludes(t.warnings[0]!, "session token rejected");
  assertStringIncludes(t.warnings[0]!, "https://shop.example");
  assertStringIncludes(t.warnings[0]!, "allowedOrigins");
  assertStringIncludes(t.warnings[0]!, "request-9");
  assertEquals(t.store.get().failure?.retry, "never");
});

Deno.test("Conversation: plan_limit_exceeded points the developer to GET /v1/usage", async () => {
  const t = setUp(() => refuse(429, "plan_limit_exceeded", { retryAfter: 7200 }));
  t.conversation.send("Hello?");
  await idle(t);
  assertStringIncludes(t.warnings[0]!, "plan_limit_exceeded");
  assertStringIncludes(t.warnings[0]!, "GET /v1/usage");
  assertStringIncludes(t.store.get().failure!.text, "in about 2 hours");
});

Deno.test("Conversation: a rate limit says when, and is not offered again before", async () => {
  const t = setUp(() => refuse(429, "rate_limit_exceeded", { retryAfter: 17, scope: "ip_chat" }));
  t.conversation.send("Hello?");
  await idle(t);
  const { failure } = t.store.get();
  assertStringIncludes(failure!.text, "in about 20 seconds");
  assertEquals(failure?.retryAt, 1_017_000);
});

Deno.test("Conversation.setSessionToken: a question the old token could not ask is asked once more", async () => {
  const t = setUp(() => refuse(401, "session_token_invalid"));
  const wanted: string[] = [];
  t.emitter.on("session-expired", ({ code }) => {
    wanted.push(code);
    t.conversation.setSessionToken(`cs_fresh_token_number_${wanted.length}`);
  });
  t.conversation.send("Hello?");
  await idle(t);
  await idle(t);
  assertEquals(t.seen.map((request) => request.body?.sessionToken), [
    TOKEN,
    "cs_fresh_token_number_1",
  ]);
  assertEquals(wanted.length, 2);
  assertEquals(t.store.get().failure?.code, "session_token_invalid");
});

Deno.test("Conversation.setSessionToken: the conversation goes on under the new token", async () => {
  const t = setUp(() => stream(text(ANSWER)));
  t.conversation.send("One");
  await idle(t);
  t.conversation.setSessionToken("cs_another_token_01");
  t.conversation.send("Two");
  await idle(t);
  assertEquals(t.seen[1]?.headers.get("x-service-session"), "cs_another_token_01");
  assertEquals(t.seen[1]?.body?.sessionToken, "cs_another_token_01");
  assertEquals(t.seen[1]?.body?.conversationId, CONVERSATION);
});

Deno.test("Conversation: an answer that is no event stream is a failure on our side", async () => {
  const t = setUp(() =>
    new Response("<h1>Welcome</h1>", { headers: { "content-type": "text/html" } })
  );
  t.conversation.send("Hello?");
  await idle(t);
  assertEquals(t.store.get().failure?.code, "unexpected_response");
});

Deno.test("Conversation: an unreachable service can be tried again", async () => {
  const t = setUp(() => Promise.reject(new TypeError("no route")), () => stream(text(ANSWER)));
  t.conversation.send("Hello?");
  await idle(t);
  assertEquals(t.store.get().failure?.code, "network_error");
  t.conversation.retry();
  await idle(t);
  assertEquals(t.store.get().turns.at(-1)?.text, "Hi.");
});

Deno.test("Conversation.restart: frames of the forgotten run no longer arrive", async () => {
  const t = setUp(() => stream(text(ANSWER)));
  t.conversation.send("Hello?");
  t.conversation.restart();
  await idle(t);
  assertEquals(t.store.get().turns, []);
  assertEquals(t.store.get().conversationId, undefined);
});
