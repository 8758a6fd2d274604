import { assertEquals, assertRejects } from "@std/assert";
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

Deno.test("chat: resumes after a position, and ends without error if nothing is left", async () => {
  const rest = setUp([() => stream(text(ANSWER.slice(1), 2))], { after: `${RUN}.1` });
  assertEquals(await types(rest.chat), ["delta", "done"]);
  assertEquals(
    rest.sent[0]?.url,
    `https://chat.example/v1/chat/runs/${RUN}/stream?after=${RUN}.1`,
  );
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
