import { assertEquals, assertNotEquals, assertRejects } from "@std/assert";
import {
  AGENT,
  ANSWER,
  CONVERSATION,
  OTHER,
  reject,
  RUN,
  START,
  stream,
  text,
  TOKEN,
} from "../../../tests/support/widget_conversation.ts";
import type { Frame } from "../../../lib/schemas/frames.ts";
import { AgentChat } from "./agent_chat.ts";
import type { AgentChatFailure, AgentChatOptions, AgentChatState, AgentMessage } from "./mod.d.ts";

interface Sent {
  url: string;
  key: string | null;
  // deno-lint-ignore no-explicit-any -- what was sent, whatever it is
  body: any;
}

/** A tab's storage. */
function memory(entries = new Map<string, string>()) {
  return {
    entries,
    getItem: (key: string) => entries.get(key) ?? null,
    setItem: (key: string, value: string) => void entries.set(key, value),
    removeItem: (key: string) => void entries.delete(key),
  };
}

/** A chat on a service that gives these answers in order. */
function setUp(answers: (() => Response)[], options: Partial<AgentChatOptions> = {}) {
  const sent: Sent[] = [];
  const finished: AgentMessage[] = [];
  const failures: AgentChatFailure[] = [];
  const fetcher = ((url: string, { headers, body, signal }: RequestInit) => {
    const key = new Headers(headers).get("idempotency-key");
    sent.push({ url, key, body: typeof body === "string" ? JSON.parse(body) : undefined });
    const response = answers.shift()!();
    const abortable = response.body?.pipeThrough(new TransformStream(), signal ? { signal } : {});
    return Promise.resolve(new Response(abortable, response));
  }) as typeof fetch;
  const chat = new AgentChat({
    apiBase: "https://chat.example",
    agentId: AGENT,
    sessionToken: TOKEN,
    storage: memory(),
    fetch: fetcher,
    onFinish: (answer) => finished.push(answer),
    onError: (failure) => failures.push(failure),
    ...options,
  });
  return { chat, sent, finished, failures, fetcher };
}

/** Resolves with the state once it is as wanted. */
function until(chat: AgentChat, wanted: (state: AgentChatState) => boolean) {
  const { promise, resolve } = Promise.withResolvers<AgentChatState>();
  const look = () => wanted(chat.getState()) && resolve(chat.getState());
  const end = chat.subscribe(look);
  look();
  return promise.finally(end);
}

const ended = (chat: AgentChat) =>
  until(chat, ({ status }) => status === "ready" || status === "error");

const texts = ({ messages }: AgentChatState) => messages.map(({ role, text }) => [role, text]);

/** An answer that stays open after these frames. */
function open(frames: Frame[]): Response {
  const wire = new TextEncoder().encode(text(frames));
  const body = new ReadableStream({ start: (controller) => controller.enqueue(wire) });
  return new Response(body, {
    headers: { "content-type": "text/event-stream", "x-run-id": RUN },
  });
}

Deno.test("AgentChat: sends the whole conversation, and joins text and tools to one answer", async () => {
  const frames: Frame[] = [
    START,
    { type: "tool_call", name: "find", args: { q: "a" } },
    { type: "tool_result", name: "find", output: [1] },
    { type: "tool_call", name: "find", args: { q: "b" } },
    { type: "delta", text: "One " },
    { type: "delta", text: "two." },
    { type: "done", finishReason: "length" },
  ];
  const { chat, sent, finished } = setUp([() => stream(text(frames)), () => stream(text(ANSWER))]);
  chat.attach();
  assertEquals([chat.methods.send("  "), chat.methods.send(" Hello? ")], [false, true]);
  assertEquals([chat.getState().status, chat.methods.send("More")], ["submitted", false]);
  const state = await ended(chat);
  assertEquals(texts(state), [["user", "Hello?"], ["assistant", "One two."]]);
  assertEquals(state.messages[1], {
    id: RUN,
    role: "assistant",
    text: "One two.",
    tools: [
      { n: 2, name: "find", args: { q: "a" }, output: [1] },
      { n: 4, name: "find", args: { q: "b" } },
    ],
    finishReason: "length",
  });
  assertEquals([finished, state.messagesLeft], [[state.messages[1]], 49]);
  chat.methods.send("And?");
  await ended(chat);
  assertEquals(sent[1]!.body.conversationId, CONVERSATION);
  assertEquals(sent[1]!.body.messages.map(({ content }: { content: string }) => content), [
    "Hello?",
    "One two.",
    "And?",
  ]);
});

Deno.test("AgentChat: an error frame ends the answer with a failure, and a retry starts a new run", async () => {
  const broken: Frame[] = [
    START,
    { type: "delta", text: "One " },
    { type: "error", code: "provider_error", message: "the provider failed" },
    { type: "done", finishReason: "error" },
  ];
  const { chat, sent, failures } = setUp([() => stream(text(broken)), () => stream(text(ANSWER))]);
  chat.attach();
  chat.methods.send("Hello?");
  const { error, status } = await ended(chat);
  assertEquals([status, error?.code, error?.message, error?.canRetry], [
    "error",
    "provider_error",
    "the provider failed",
    true,
  ]);
  assertEquals(failures, [error!]);
  assertEquals(chat.methods.retry(), true);
  const state = await ended(chat);
  assertEquals([texts(state), state.error], [
    [["user", "Hello?"], ["assistant", "Hi."]],
    undefined,
  ]);
  assertNotEquals(sent[0]!.key, sent[1]!.key);
  assertEquals(chat.methods.retry(), false);
});

Deno.test("AgentChat: a budget error offers no retry, and an empty answer does", async () => {
  const spent: Frame[] = [
    START,
    { type: "error", code: "budget_exceeded", message: "spent" },
    { type: "done", finishReason: "max_cost" },
  ];
  const empty: Frame[] = [START, { type: "done", finishReason: "stop" }];
  for (
    const [frames, code, canRetry] of [[spent, "budget_exceeded", false], [
      empty,
      "empty_answer",
      true,
    ]] as const
  ) {
    const { chat } = setUp([() => stream(text(frames))]);
    chat.attach();
    chat.methods.send("Hello?");
    const { error } = await ended(chat);
    assertEquals([error?.code, error?.canRetry, chat.getState().messages.length], [
      code,
      canRetry,
      1,
    ]);
  }
});

Deno.test("AgentChat: a rejected token is an error whose retry repeats the same message", async () => {
  const { chat, sent } = setUp([
    () => reject(401, "session_token_invalid"),
    () => stream(text(ANSWER)),
  ]);
  chat.attach();
  chat.methods.send("Hello?");
  const { error } = await ended(chat);
  assertEquals([error?.code, error?.status], ["session_token_invalid", 401]);
  chat.methods.retry();
  assertEquals(texts(await ended(chat)), [["user", "Hello?"], ["assistant", "Hi."]]);
  assertEquals(sent[0]!.key, sent[1]!.key);
});

Deno.test("AgentChat: a token function that throws, and a missing token, are failures", async () => {
  const throws = () => Promise.reject(new Error("no backend"));
  for (const [sessionToken, message] of [[throws, "no backend"], [undefined, undefined]] as const) {
    const { chat, sent } = setUp([], { sessionToken });
    chat.attach();
    chat.methods.send("Hello?");
    const { error } = await ended(chat);
    assertEquals([error?.code, error?.canRetry, sent.length], ["session_token_missing", true, 0]);
    if (message) assertEquals(error?.message, message);
  }
});

Deno.test("AgentChat: a limit tells when a retry is allowed", async () => {
  const limit = () => reject(429, "rate_limit_exceeded", { retryAfter: 7, scope: "ip_chat" });
  const { chat } = setUp([limit]);
  chat.attach();
  chat.methods.send("Hello?");
  const before = Date.now();
  const { error } = await ended(chat);
  assertEquals([error?.code, error!.retryAt! >= before + 7_000], ["rate_limit_exceeded", true]);
});

Deno.test("AgentChat: letting go of the page closes the connection, and another page resumes the answer", async () => {
  const storage = memory();
  const first = setUp([() => open(ANSWER.slice(0, 2))], { storage });
  const leave = first.chat.attach();
  first.chat.methods.send("Hello?");
  await until(first.chat, ({ messages }) => messages.length === 2);
  leave();
  assertEquals(first.sent.length, 1);
  const second = setUp([() => stream(text(ANSWER.slice(2), 3))], { storage });
  assertEquals(second.chat.getState().messages, []);
  const leaveAgain = second.chat.attach();
  assertEquals([second.chat.getState().status, second.chat.getState().messages.length], [
    "streaming",
    2,
  ]);
  assertEquals(texts(await ended(second.chat)), [["user", "Hello?"], ["assistant", "Hi."]]);
  const path = `https://chat.example/v1/chat/runs/${RUN}/stream`;
  assertEquals(second.sent.map(({ url }) => url), [path]);
  leaveAgain();
  second.chat.attach();
  assertEquals(second.sent.length, 1);
});

Deno.test("AgentChat: a message without a first frame is sent again with its key", async () => {
  const storage = memory();
  const asked = Promise.withResolvers<void>();
  const silent = () => {
    asked.resolve();
    return new Response(new ReadableStream(), { headers: { "content-type": "text/event-stream" } });
  };
  const first = setUp([silent], { storage });
  const leave = first.chat.attach();
  first.chat.methods.send("Hello?");
  await asked.promise;
  leave();
  const second = setUp([() => stream(text(ANSWER))], { storage });
  second.chat.attach();
  await ended(second.chat);
  const stored = JSON.parse([...storage.entries.values()][0]!);
  assertEquals([stored.pending, stored.messages.length], [undefined, 2]);
  assertEquals(first.sent[0]!.key, second.sent[0]!.key);
});

Deno.test("AgentChat: stop ends the answer at once and cancels the run", async () => {
  const cancelled = Promise.withResolvers<void>();
  const { chat, sent, finished } = setUp([
    () => open(ANSWER.slice(0, 2)),
    () => {
      cancelled.resolve();
      return new Response(null, { status: 202 });
    },
  ]);
  const leave = chat.attach();
  chat.methods.send("Hello?");
  await until(chat, ({ messages }) => messages.length === 2);
  chat.methods.stop();
  const { status, messages } = chat.getState();
  assertEquals([status, messages[1]?.finishReason, finished.length], ["ready", "cancelled", 1]);
  await cancelled.promise;
  assertEquals(sent[1]?.url, `https://chat.example/v1/chat/runs/${RUN}/cancel`);
  leave();
});

Deno.test("AgentChat: reset deletes the stored conversation, and `storage: false` keeps none", async () => {
  const storage = memory();
  const { chat } = setUp([() => stream(text(ANSWER))], { storage, id: "help" });
  chat.attach();
  chat.methods.send("Hello?");
  await ended(chat);
  assertEquals([...storage.entries.keys()], ["agent-chat:help"]);
  chat.methods.reset();
  assertEquals([storage.entries.size, chat.getState().messages], [0, []]);
  const blocked = {
    ...storage,
    getItem: () => {
      throw new Error("blocked");
    },
  };
  for (const one of [false, blocked, { ...storage, getItem: () => "{" }] as const) {
    const { chat } = setUp([() => stream(text(ANSWER))], { storage: one });
    chat.attach();
    chat.methods.send("Hello?");
    assertEquals(texts(await ended(chat)).length, 2);
  }
});

Deno.test("AgentChat: an answer is rated at once, and back as it was if the service rejects that", async () => {
  const { chat, sent } = setUp([
    () => stream(text(ANSWER)),
    () => new Response(null, { status: 204 }),
    () => reject(404, "not_found"),
    () => new Response(null, { status: 204 }),
  ]);
  chat.attach();
  chat.methods.send("Hello?");
  await ended(chat);
  const shown = () => chat.getState().messages[1]?.feedback;
  const rated = chat.methods.rate(RUN, { rating: "up" });
  assertEquals(shown(), { rating: "up" });
  await rated;
  assertEquals(sent[1]?.url, `https://chat.example/v1/chat/runs/${RUN}/feedback`);
  assertEquals(sent[1]?.body, { rating: "up" });
  const rejected = chat.methods.rate(RUN, { rating: "down", comment: "No" });
  assertEquals(shown()?.rating, "down");
  await assertRejects(() => rejected);
  assertEquals(shown(), { rating: "up" });
  await chat.methods.rate(RUN, undefined);
  assertEquals(shown(), undefined);
});

/** The answer `text` of a run. */
function answerOf(runId: string, answer: string): Response {
  const start = { ...START, runId } as Frame;
  return stream(text([start, { type: "delta", text: answer }, {
    type: "done",
    finishReason: "stop",
  }]));
}

const contents = ({ body }: Sent) =>
  body.messages.map(({ content }: { content: string }) => content);

Deno.test("AgentChat: regenerate asks the last question again, and the new answer replaces the old one", async () => {
  const { chat, sent } = setUp([() => stream(text(ANSWER)), () => answerOf(OTHER, "Again.")]);
  chat.attach();
  assertEquals(chat.methods.regenerate(), false, "there is no question");
  chat.methods.send("Hello?");
  assertEquals(chat.methods.regenerate(), false, "an answer is arriving");
  const before = await ended(chat);
  assertEquals(before.messages.map(({ runId }) => runId), [RUN, undefined]);
  assertEquals(chat.methods.regenerate(), true);
  assertEquals(texts(chat.getState()), [["user", "Hello?"]]);
  const state = await ended(chat);
  assertEquals(texts(state), [["user", "Hello?"], ["assistant", "Again."]]);
  assertEquals(state.messages.map(({ runId }) => runId), [OTHER, undefined]);
  assertEquals(state.messages[0]!.id, before.messages[0]!.id);
  assertEquals(contents(sent[1]!), ["Hello?"]);
  const { replaces, conversationId } = sent[1]!.body;
  assertEquals([sent[0]!.body.replaces, replaces, conversationId], [undefined, RUN, CONVERSATION]);
  assertNotEquals(sent[0]!.key, sent[1]!.key);
});

Deno.test("AgentChat: edit changes a question by id or index, and drops what followed it", async () => {
  const { chat, sent } = setUp([
    () => stream(text(ANSWER)),
    () => answerOf(OTHER, "Two."),
    () => answerOf("third", "Other."),
    () => answerOf("fourth", "First."),
  ]);
  chat.attach();
  chat.methods.send("One");
  await ended(chat);
  chat.methods.send("Two");
  const { messages } = await ended(chat);
  const { edit } = chat.methods;
  for (const [target, words] of [[1, "x"], [4, "x"], [-1, "x"], ["none", "x"], [2, " "]] as const) {
    assertEquals(edit(target, words), false, String(target));
  }
  assertEquals(edit(messages[2]!.id, "Two, changed"), true);
  await ended(chat);
  assertEquals(contents(sent[2]!), ["One", "Hi.", "Two, changed"]);
  assertEquals(sent[2]!.body.replaces, OTHER);
  assertEquals(edit(0, "One, changed"), true);
  const state = await ended(chat);
  assertEquals([contents(sent[3]!), sent[3]!.body.replaces], [["One, changed"], RUN]);
  assertEquals(texts(state), [["user", "One, changed"], ["assistant", "First."]]);
});

Deno.test("AgentChat: what a message replaces survives a failure and a reload", async () => {
  const storage = memory();
  const limit = () => reject(503, "service_unavailable", {});
  const first = setUp([() => stream(text(ANSWER)), limit], { storage });
  const detach = first.chat.attach();
  first.chat.methods.send("Hello?");
  await ended(first.chat);
  first.chat.methods.edit(0, "Hello!");
  assertEquals((await ended(first.chat)).status, "error");
  detach();
  const second = setUp([() => answerOf(OTHER, "Hi!")], { storage });
  second.chat.attach();
  assertEquals(second.chat.methods.regenerate(), true);
  await ended(second.chat);
  assertEquals([contents(second.sent[0]!), second.sent[0]!.body.replaces], [["Hello!"], RUN]);
});

const WAITING = {
  type: "tool_call",
  name: "cancel_order",
  args: { id: "A-1" },
  pending: true,
  expiresAt: "2026-01-15T12:01:00.000Z",
} as const;
const noContent = () => new Response(null, { status: 204 });
const decisions = (sent: Sent[]) =>
  sent.filter(({ url }) => url.endsWith("/decision")).map(({ url, body }) => [
    url.slice(url.indexOf("/calls")),
    body,
  ]);

Deno.test("AgentChat: a call that waits for a decision is an approval until it is decided, also after a reload", async () => {
  const frames: Frame[] = [
    START,
    { ...WAITING, waitsFor: "visitor", title: "Cancel an order" },
    { ...WAITING, waitsFor: "person" },
  ];
  const storage = memory();
  const first = setUp([() => open(frames)], { storage });
  first.chat.attach();
  first.chat.methods.send("Hello?");
  const { approvals } = await until(first.chat, ({ approvals }) => approvals.length === 2);
  assertEquals(approvals.map(({ id, title, waitsFor }) => [id, title, waitsFor]), [
    [`${RUN}.2`, "Cancel an order", "visitor"],
    [`${RUN}.3`, "cancel_order", "person"],
  ]);
  const offline = () => {
    throw new TypeError("connection refused");
  };
  const gone = () => reject(409, "already_decided");
  const resumed = () => open([...frames, { type: "delta", text: "One moment." }]);
  const second = setUp([resumed, offline, noContent, gone], { storage });
  const leave = second.chat.attach();
  const state = await until(second.chat, ({ messages }) => messages[1]?.text === "One moment.");
  assertEquals(state.approvals, approvals);
  const { approve, refuse } = second.chat.methods;
  await assertRejects(() => approve(`${RUN}.2`));
  assertEquals(second.chat.getState().approvals.length, 2);
  await approve(`${RUN}.2`);
  await refuse(`${RUN}.3`);
  assertEquals(second.chat.getState().approvals, []);
  assertEquals(decisions(second.sent).slice(1), [
    ["/calls/2/decision", { approve: true }],
    ["/calls/3/decision", { approve: false }],
  ]);
  leave();
});

Deno.test("AgentChat: a result ends the approval that it names, and the end of the run all", async () => {
  const call: Frame = { ...WAITING, waitsFor: "visitor" };
  const frames: Frame[] = [START, call, call, {
    ...{ type: "tool_result", name: "cancel_order", output: "second", call: 3 },
  }];
  const { chat } = setUp([() => open(frames)]);
  chat.attach();
  chat.methods.send("Hello?");
  const { approvals, messages } = await until(
    chat,
    ({ messages }) => messages[1]?.tools.some((tool) => "output" in tool) ?? false,
  );
  assertEquals(approvals.map(({ id }) => id), [`${RUN}.2`]);
  assertEquals(messages[1]!.tools.map(({ output }) => output), [undefined, "second"]);
  chat.methods.stop();
  assertEquals(chat.getState().approvals, []);
});

Deno.test("AgentChat: calls the newest function of the page, and not again after a reload", async () => {
  const frames: Frame[] = [START, { ...WAITING, name: "read_cart", waitsFor: "page" }];
  const storage = memory();
  const { promise, resolve } = Promise.withResolvers<unknown>();
  const first = setUp([() => open(frames), noContent], { storage, tools: { read_cart: () => 1 } });
  first.chat.configure({
    ...{ apiBase: "https://chat.example", agentId: AGENT, sessionToken: TOKEN, storage },
    fetch: first.fetcher,
    tools: {
      read_cart(args) {
        resolve([args, JSON.parse(storage.entries.get(`agent-chat:${AGENT}`)!).pending.position]);
        return 2;
      },
    },
  });
  first.chat.attach();
  first.chat.methods.send("Hello?");
  // What is stored by then says that the call was handled.
  assertEquals(await promise, [{ id: "A-1" }, `${RUN}.2`]);
});
