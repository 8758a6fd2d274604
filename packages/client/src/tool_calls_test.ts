import { assertEquals, assertRejects } from "@std/assert";
import {
  AGENT,
  reject,
  RUN,
  START,
  stream,
  text,
  TOKEN,
} from "../../../tests/support/widget_conversation.ts";
import type { Frame } from "../../../lib/schemas/frames.ts";
import { ChatError } from "../../../widget/client/client.ts";
import { chat, type ChatOptions } from "./chat_with_tools.ts";
import { toolCalls } from "./tool_calls.ts";

interface Sent {
  path: string;
  token: string | null;
  body: unknown;
}

const noContent = () => new Response(null, { status: 204 });

/** A service that answers requests of calls in order, the last one again and again. */
function setUp(answers: (() => Response)[], frames?: Response) {
  const sent: Sent[] = [];
  const waiting = new Set<() => void>();
  const fetcher = ((url: string, { headers, body }: RequestInit) => {
    if (url.endsWith("/stream")) return Promise.resolve(frames!);
    if (url.endsWith("/cancel")) return Promise.resolve(noContent());
    const path = url.replace("https://chat.example/v1/chat/", "");
    const token = new Headers(headers).get("x-service-session");
    sent.push({ path, token, body: JSON.parse(String(body)) });
    for (const wake of waiting) wake();
    return Promise.resolve((answers.length > 1 ? answers.shift()! : answers[0]!)());
  }) as typeof fetch;
  const options = { apiBase: "https://chat.example/", sessionToken: TOKEN, fetch: fetcher };
  /** Resolves once so many requests were sent. */
  const until = (count: number) =>
    new Promise<void>((resolve) => {
      const look = () => sent.length >= count && resolve();
      waiting.add(look);
      look();
    });
  const ask = (tools: ChatOptions["tools"]) =>
    chat({ ...options, agentId: AGENT, messages: [{ role: "user", content: "Hi" }], tools });
  return { ofRun: toolCalls(options), ask, sent, until };
}

Deno.test("toolCalls: decides, and sends outputs and errors", async () => {
  const { ofRun, sent } = setUp([noContent]);
  await ofRun.decide(RUN, 4, true);
  await ofRun.decide(RUN, 5, false);
  await ofRun.sendToolOutput(RUN, 6, { output: null });
  await ofRun.sendToolOutput(RUN, 7, { error: "closed" });
  assertEquals(sent.map(({ path, body }) => [path, body]), [
    [`runs/${RUN}/calls/4/decision`, { approve: true }],
    [`runs/${RUN}/calls/5/decision`, { approve: false }],
    [`runs/${RUN}/calls/6/output`, { output: null }],
    [`runs/${RUN}/calls/7/output`, { error: "closed" }],
  ]);
});

Deno.test("toolCalls: a call that waits no more is a ChatError", async () => {
  const { ofRun } = setUp([() => reject(409, "already_decided")]);
  const error = await assertRejects(() => ofRun.decide(RUN, 4, true), ChatError);
  assertEquals([error.code, error.status], ["already_decided", 409]);
});

const CALL: Frame = {
  type: "tool_call",
  name: "read_cart",
  args: { full: true },
  pending: true,
  waitsFor: "page",
  expiresAt: "2026-01-15T12:01:00.000Z",
};
const RESULT: Frame = { type: "tool_result", name: "read_cart", output: 1, call: 2 };
const DONE: Frame = { type: "done", finishReason: "stop" };

/** A stream that the test goes on with. */
function openStream(...frames: Frame[]) {
  const { readable, writable } = new TransformStream<Uint8Array<ArrayBuffer>>();
  const writer = writable.getWriter();
  const write = (n: number, ...more: Frame[]) =>
    writer.write(new TextEncoder().encode(text(more, n)));
  write(1, ...frames);
  return { response: stream(readable), write, close: () => writer.close() };
}

Deno.test("chat: with tools, a call of the page is answered after its frame was handled", async () => {
  const { response, write, close } = openStream(START, CALL);
  const { ask, sent, until } = setUp([noContent], response);
  const events: string[] = [];
  const reply = ask({
    read_cart(args) {
      events.push(`called ${JSON.stringify(args)} after ${reply.position}`);
      return { total: 12 };
    },
  });
  for await (const { type } of reply) {
    events.push(type);
    if (type !== "tool_call") continue;
    until(1).then(() => write(3, RESULT, DONE)).then(close);
  }
  assertEquals(events, [
    "start",
    "tool_call",
    `called {"full":true} after ${RUN}.2`,
    "tool_result",
    "done",
  ]);
  assertEquals(sent, [{
    ...{ path: `runs/${RUN}/calls/2/output`, token: TOKEN, body: { output: { total: 12 } } },
  }]);
});

Deno.test("chat: a tool that the page does not have is an error, also if objects have its name", async () => {
  for (const name of ["read_cart", "constructor"]) {
    const { response, write, close } = openStream(START, { ...CALL, name });
    const { ask, sent, until } = setUp([noContent], response);
    until(1).then(() => write(3, DONE)).then(close);
    await Array.fromAsync(ask({}));
    assertEquals(sent.map(({ body }) => body), [{ error: "not available on this page" }]);
  }
});

Deno.test("chat: an output that the service does not take becomes an error, and the call goes on", async () => {
  const { response, write, close } = openStream(START, CALL);
  const invalid = () => reject(400, "schema_validation_failed");
  const { ask, sent, until } = setUp([invalid, noContent], response);
  until(2).then(() => write(3, DONE)).then(close);
  await Array.fromAsync(ask((name) => name === "read_cart" ? () => "wrong" : undefined));
  const errors = sent.map(({ body }) => Object.keys(body as object));
  assertEquals(errors, [["output"], ["error"]]);
});

Deno.test("chat: a tool is aborted by its result and by stop", async () => {
  for (const isStopped of [false, true]) {
    const { response, write, close } = openStream(START, CALL);
    const { ask } = setUp([() => reject(409, "already_decided")], response);
    const { promise, resolve } = Promise.withResolvers<void>();
    const reply = ask({
      read_cart(_args, { signal }) {
        signal.addEventListener("abort", () => resolve());
        if (isStopped) reply.stop();
        else write(3, RESULT);
        return promise;
      },
    });
    promise.then(() => write(4, DONE)).then(close);
    await Array.fromAsync(reply);
  }
});

Deno.test("chat: a lookup of tools that throws is an error of the call", async () => {
  const { response, write, close } = openStream(START, CALL);
  const { ask, sent, until } = setUp([noContent], response);
  until(1).then(() => write(3, DONE)).then(close);
  const find = () => {
    throw new Error("no cart yet");
  };
  await Array.fromAsync(ask(find));
  assertEquals(sent.map(({ body }) => body), [{ error: "no cart yet" }]);
});

Deno.test("chat: a tool is aborted when its caller leaves the answer, or the caller fails", async () => {
  for (const leaves of [true, false]) {
    const { response, write } = openStream(START, CALL);
    const { ask } = setUp([noContent], response);
    const aborted = Promise.withResolvers<void>();
    const reply = ask({
      read_cart(_args, { signal }) {
        signal.addEventListener("abort", () => aborted.resolve());
        write(3, { type: "delta", text: "Hm" });
        return aborted.promise;
      },
    });
    const read = async () => {
      for await (const { type } of reply) {
        if (type !== "delta") continue;
        if (leaves) break;
        throw new Error("the page's mistake");
      }
    };
    if (leaves) await read();
    else await assertRejects(read, Error, "the page's mistake");
    await aborted.promise;
  }
});
