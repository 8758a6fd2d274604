import { setImmediate } from "node:timers";
import { assertEquals, assertFalse, assertRejects } from "@std/assert";
import { chatRequest, finishedFrames, openChat } from "@/tests/support/chat.ts";
import { end, FakeModel, silentModel, text } from "@/tests/support/fake_model.ts";
import type { FakeRuntime } from "@/tests/support/fake_runtime.ts";
import { ApiError } from "../schemas/api_error.ts";
import { type Model, ModelError } from "../providers/model.ts";
import type { ChatService } from "./chat_service.ts";

const down = new ModelError("provider_rate_limited", "the provider is busy");

/** Waits until the service has an active run, without a clock. */
async function underWay({ chat, runtime }: { chat: ChatService; runtime: FakeRuntime }) {
  // The store is asynchronous; the run's two timers show that it has answered.
  while (chat.active.length === 0 || runtime.sleeping < 2) {
    await new Promise((resolve) => setImmediate(resolve));
  }
}

Deno.test("ChatService: a run ends with done and leaves nothing behind", async () => {
  using kv = await Deno.openKv(":memory:");
  const { chat, begin, runtime } = await openChat(kv, { mid: new FakeModel([text("Hi"), end()]) });
  const frames = await finishedFrames(await begin(chatRequest("mid")));
  assertEquals(frames.map((frame) => frame.type), ["start", "delta", "usage", "done"]);
  await chat.stopAll();
  assertEquals(chat.active, []);
  assertEquals(runtime.sleeping, 0);
});

Deno.test("ChatService: start names the model that answers and echoes the body's ids", async () => {
  using kv = await Deno.openKv(":memory:");
  const models = { mid: new FakeModel(down), spare: new FakeModel([end()]) };
  const { begin } = await openChat(kv, models);
  const request = chatRequest("mid", { fallback: "spare" });
  const conversationId = crypto.randomUUID();
  request.body = { ...request.body, requestId: "mine-0001", conversationId };
  const [start] = await finishedFrames(await begin(request));
  assertEquals(start?.type === "start" && [start.model, start.requestId, start.conversationId], [
    "spare",
    "mine-0001",
    conversationId,
  ]);
});

Deno.test("ChatService: if no model accepts, throws the provider's error", async () => {
  using kv = await Deno.openKv(":memory:");
  const { chat, begin, runtime } = await openChat(kv, { mid: new FakeModel(down) });
  const error = await assertRejects(() => begin(chatRequest("mid")), ApiError);
  assertEquals([error.code, error.status], ["provider_rate_limited", 503]);
  assertEquals(chat.active, []);
  assertEquals(runtime.sleeping, 0);
});

Deno.test("ChatService: a run admitted just before its credential was revoked is cancelled", async () => {
  using kv = await Deno.openKv(":memory:");
  const { chat, begin } = await openChat(kv, { mid: silentModel });
  const codes = { key: "invalid_api_key", session: "session_token_invalid" } as const;
  for (const kind of ["key", "session"] as const) {
    const request = chatRequest("mid", { source: { kind, id: `${kind}-1` } });
    await chat.cancelRunsOf(request.tenant, request.source.id);
    const error = await assertRejects(() => begin(request), ApiError);
    assertEquals([error.code, chat.active], [codes[kind], []]);
  }
});

Deno.test("ChatService: a model outside the plan is rejected without a provider request", async () => {
  using kv = await Deno.openKv(":memory:");
  const model = new FakeModel([end()]);
  const { begin } = await openChat(kv, { mid: model });
  const error = await assertRejects(() => begin(chatRequest("other")), ApiError);
  assertEquals(error.code, "schema_validation_failed");
  assertEquals(model.requests, []);
});

Deno.test("ChatService: after 5 s without a model the stream opens, and start follows", async () => {
  using kv = await Deno.openKv(":memory:");
  const accepts = Promise.withResolvers<void>();
  const slow: Model = {
    stream: async (request) => {
      await accepts.promise;
      return await new FakeModel([text("At last."), end()]).stream(request);
    },
  };
  const opened = await openChat(kv, { mid: slow });
  const begun = opened.begin(chatRequest("mid"));
  await underWay(opened);
  await opened.runtime.advance(5_000);
  const run = await begun;
  assertEquals(run.log.length, 0);
  accepts.resolve();
  const frames = await finishedFrames(run);
  assertEquals(frames.map((frame) => frame.type), ["start", "delta", "usage", "done"]);
});

Deno.test("ChatService: a failure after the stream opened early is reported in frames", async () => {
  using kv = await Deno.openKv(":memory:");
  const fails = Promise.withResolvers<never>();
  const opened = await openChat(kv, { mid: { stream: () => fails.promise } });
  const begun = opened.begin(chatRequest("mid"));
  await underWay(opened);
  await opened.runtime.advance(5_000);
  const run = await begun;
  fails.reject(down);
  const frames = await finishedFrames(run);
  assertEquals(frames.map((frame) => frame.type), ["start", "usage", "error", "done"]);
});

Deno.test("ChatService: a run past the agent's wallClockMs ends as timeout", async () => {
  using kv = await Deno.openKv(":memory:");
  const never = new Promise(() => {});
  const opened = await openChat(kv, { mid: new FakeModel([text("Well,"), never]) });
  const run = await opened.begin(chatRequest("mid", { budget: { wallClockMs: 10_000 } }));
  await opened.runtime.advance(9_999);
  assertFalse(run.log.closed);
  await opened.runtime.advance(1);
  assertEquals((await finishedFrames(run)).slice(-2), [
    {
      type: "error",
      code: "budget_exceeded",
      message: "the agent's time for one answer is used up",
    },
    { type: "done", finishReason: "timeout" },
  ]);
  assertEquals(opened.runtime.sleeping, 0);
});

Deno.test("ChatService: wallClockMs passing before a model accepted is provider_timeout", async () => {
  using kv = await Deno.openKv(":memory:");
  const opened = await openChat(kv, { mid: silentModel });
  const begun = opened.begin(chatRequest("mid", { budget: { wallClockMs: 1_000 } }));
  const refused = assertRejects(() => begun, ApiError);
  await underWay(opened);
  await opened.runtime.advance(1_000);
  assertEquals((await refused).code, "provider_timeout");
});

Deno.test("ChatService: stopAll interrupts running and waiting runs", async () => {
  using kv = await Deno.openKv(":memory:");
  const never = new Promise(() => {});
  const models = { mid: new FakeModel([text("Well,"), never]), silent: silentModel };
  const { chat, begin, runtime } = await openChat(kv, models);
  const running = await begin(chatRequest("mid"));
  const refused = assertRejects(() => begin(chatRequest("silent")), ApiError);
  while (chat.active.length < 2) await new Promise((resolve) => setImmediate(resolve));
  await chat.stopAll();
  const frames = await finishedFrames(running);
  const message = "the answer was interrupted on our side; send the message again";
  assertEquals(frames.slice(-2), [
    { type: "error", code: "run_interrupted", message },
    { type: "done", finishReason: "error" },
  ]);
  const { code, headers } = await refused;
  assertEquals([code, headers["retry-after"]], ["service_unavailable", "2"]);
  assertEquals([chat.active, runtime.sleeping], [[], 0]);
});

Deno.test("ChatService: drain rejects new runs, waits 3 s for active ones and interrupts the rest", async () => {
  using kv = await Deno.openKv(":memory:");
  const goesOn = Promise.withResolvers<void>();
  const models = {
    mid: new FakeModel([text("Well,"), goesOn.promise, text(" then."), end()]),
    slow: new FakeModel([text("Hm,"), new Promise(() => {})]),
  };
  const { chat, begin, runtime } = await openChat(kv, models);
  const [ends, lingers] = [await begin(chatRequest("mid")), await begin(chatRequest("slow"))];
  const admission = Promise.withResolvers<void>();
  const raced = assertRejects(() => begin(chatRequest("mid"), admission.promise), ApiError);
  await new Promise((resolve) => setImmediate(resolve));
  let drained = false;
  const draining = chat.drain(3_000).then(() => drained = true);
  assertEquals(chat.draining, true);
  const late = await assertRejects(() => begin(chatRequest("mid")), ApiError);
  assertEquals(late.code, "service_unavailable");
  // A run admitted after draining began is interrupted and costs nothing.
  admission.resolve();
  assertEquals((await raced).code, "service_unavailable");
  goesOn.resolve();
  assertEquals((await finishedFrames(ends)).at(-1), { type: "done", finishReason: "stop" });
  await runtime.advance(2_999);
  assertEquals([drained, lingers.log.closed], [false, false]);
  await runtime.advance(1);
  await draining;
  const told = (await finishedFrames(lingers)).slice(-2);
  assertEquals(told.map((frame) => frame.type === "error" ? frame.code : frame.type), [
    "run_interrupted",
    "done",
  ]);
  assertEquals([chat.active, runtime.sleeping], [[], 0]);
});

Deno.test("ChatService: drain does not wait once no runs are left", async () => {
  using kv = await Deno.openKv(":memory:");
  const goesOn = Promise.withResolvers<void>();
  const model = new FakeModel([text("Well,"), goesOn.promise, end()]);
  const { chat, begin, runtime } = await openChat(kv, { mid: model });
  await begin(chatRequest("mid"));
  const draining = chat.drain(3_000);
  goesOn.resolve();
  await draining;
  await chat.drain(3_000);
  assertEquals([chat.active, runtime.sleeping], [[], 0]);
});

Deno.test("ChatService: an unknown error of a model is internal_error, logged but not sent", async () => {
  using kv = await Deno.openKv(":memory:");
  const model = new FakeModel([text("Well,"), new TypeError("private words")]);
  const { begin, logged } = await openChat(kv, { mid: model });
  const frames = await finishedFrames(await begin(chatRequest("mid")));
  assertEquals(frames.at(-2)?.type === "error" && frames.at(-2), {
    type: "error",
    code: "internal_error",
    message: "the run failed on our side",
  });
  assertFalse(JSON.stringify(frames).includes("private words"));
  // The uncounted text is logged as a billing anomaly, in addition to the failure.
  assertEquals(logged.map((line) => JSON.parse(line).level), ["error", "warn"]);
});
