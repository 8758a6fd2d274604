import { assert, assertEquals } from "@std/assert";
import type { Frame } from "../lib/schemas/frames.ts";
import {
  AGENT,
  ANSWER,
  CONVERSATION,
  OTHER,
  type RecordedCalls,
  reject,
  RUN,
  setUp,
  shownMessages,
  START,
  stream,
  text,
  TOKEN,
} from "../tests/support/widget_conversation.ts";
import { GENERIC_ERROR, UNAVAILABLE } from "./string_ids.ts";
import type { SavedState } from "./state.ts";

Deno.test("Conversation.send: posts what the specification asks for", async () => {
  const t = setUp([() => stream(text(ANSWER))]);
  assertEquals(t.conversation.send("  Hello?  "), true);
  await t.idle();
  const [{ url, headers, body }] = t.seen as [RecordedCalls];
  assertEquals(url, "https://chat.example/v1/chat/stream");
  assertEquals(headers.get("content-type"), "application/json");
  assertEquals(headers.get("x-service-session"), TOKEN);
  assert(headers.get("idempotency-key")!.length >= 16);
  assertEquals(body, {
    agentId: AGENT,
    sessionToken: TOKEN,
    messages: [{ role: "user", content: "Hello?" }],
    requestId: body.requestId,
  });
  assertEquals(t.session.left, 49);
});

Deno.test("Conversation.send: the second question carries the conversation id and the messages so far", async () => {
  const t = setUp([() => stream(text(ANSWER)), () => stream(text(ANSWER).replaceAll(RUN, OTHER))]);
  t.conversation.send("One");
  await t.idle();
  t.conversation.send("Two");
  await t.idle();
  assertEquals(t.seen[1]?.body.conversationId, CONVERSATION);
  const contents = t.seen[1]?.body.messages.map((message: { content: string }) => message.content);
  assertEquals(contents, ["One", "Hi.", "Two"]);
});

Deno.test("Conversation.send: ignores empty text, and any text while an answer arrives", async () => {
  const t = setUp([() => stream(text(ANSWER))]);
  assertEquals(t.conversation.send(" \n "), false);
  t.conversation.send("One");
  assertEquals(t.conversation.send("Two"), false);
  await t.idle();
  assertEquals(t.seen.length, 1);
});

Deno.test("Conversation: announces sentences as they complete, then the rest", async () => {
  const words = ["One. Two", " is longer. **Th", "ree**"];
  const t = setUp([() => {
    const deltas = words.map((text): Frame => ({ type: "delta", text }));
    return stream(text([START, ...deltas, { type: "done", finishReason: "stop" }]));
  }]);
  t.conversation.send("Hello?");
  await t.idle();
  assertEquals(t.conversation.state.announcements, ["One.", "Two is longer.", "Three"]);
});

Deno.test("Conversation: a connection that ends without done is resumed after its last frame", async () => {
  const t = setUp([
    () => stream(text(ANSWER.slice(0, 2))),
    () => stream(text([{ type: "delta", text: " More." }, ANSWER[2]!], 3)),
  ]);
  t.conversation.send("Hello?");
  await t.idle();
  assertEquals(t.seen[1]?.url, `https://chat.example/v1/chat/runs/${RUN}/stream`);
  assertEquals(t.seen[1]?.headers.get("last-event-id"), `${RUN}.2`);
  assertEquals(t.seen[1]?.body, undefined);
  assertEquals(shownMessages(t), ["Hello?", "Hi. More."]);
  assertEquals([t.conversation.state.lost, t.conversation.state.failure], [false, undefined]);
});

Deno.test("Conversation.wake: reconnects after too long a silence", async () => {
  const silent = () => {
    const { signal } = t.seen.at(-1)!;
    return stream(
      new ReadableStream({
        start(controller) {
          controller.enqueue(new TextEncoder().encode(text(ANSWER.slice(0, 2))));
          signal?.addEventListener("abort", () => controller.error(signal.reason));
        },
      }),
    );
  };
  const t = setUp([silent, () => stream(text([{ type: "delta", text: " More." }, ANSWER[2]!], 3))]);
  t.conversation.send("Hello?");
  await t.until(() => shownMessages(t)[1] === "Hi.");
  t.conversation.wake(1);
  assertEquals(t.seen.length, 1);
  t.conversation.wake(0);
  await t.idle();
  assertEquals(shownMessages(t), ["Hello?", "Hi. More."]);
});

Deno.test("Conversation: without a resume route, sends the message again and duplicates nothing", async () => {
  const t = setUp([
    () => stream(text(ANSWER.slice(0, 2))),
    () => reject(404, "not_found"),
    () => stream(text(ANSWER), { "idempotency-replayed": "true" }),
  ]);
  t.conversation.send("Hello?");
  await t.idle();
  const [first, , third] = t.seen as [RecordedCalls, RecordedCalls, RecordedCalls];
  assertEquals(third.headers.get("idempotency-key"), first.headers.get("idempotency-key"));
  assertEquals({ ...third.body, requestId: "" }, { ...first.body, requestId: "" });
  assertEquals(shownMessages(t), ["Hello?", "Hi."]);
  assertEquals(t.session.left, 49);
});

Deno.test("Conversation: resumes after a reload, and restarts the answer when the run is another one", async () => {
  const attempt = { key: "k".repeat(16), messages: [], n: 2, run: RUN };
  const saved = (): SavedState => ({
    open: true,
    nextId: 3,
    turns: [{ id: 1, role: "user", text: "Hello?" }, { id: 2, role: "assistant", text: "Hi." }],
    attempt: { ...attempt },
  });
  const same = setUp([() => stream(text([ANSWER[2]!], 3))], { saved: saved() });
  same.conversation.resume();
  await same.idle();
  assertEquals(shownMessages(same), ["Hello?", "Hi."]);
  const other = setUp([() => reject(404, "not_found"), () => {
    return stream(text(ANSWER).replaceAll(RUN, OTHER));
  }], { saved: saved() });
  other.conversation.resume();
  await other.idle();
  assertEquals(shownMessages(other), ["Hello?", "Hi."]);
});

Deno.test("Conversation: retries an unreachable service, then leaves the retry to the visitor", async () => {
  const down = () => Promise.reject(new TypeError("no route"));
  const t = setUp([down]);
  t.conversation.send("Hello?");
  await t.until((state) => state.lost);
  await t.idle();
  assertEquals(t.conversation.state.failure?.code, "network_error");
  // Announced once when the connection is lost, however often it retries, and once when it gives up.
  assertEquals(t.conversation.state.announcements, ["network_error", "network_error"]);
  assertEquals(new Set(t.seen.map((s) => s.headers.get("idempotency-key"))).size, 1);
});

Deno.test("Conversation.retry: starts a new run after the service rejected the last", async () => {
  const t = setUp([() => reject(502, "provider_error"), () => stream(text(ANSWER))]);
  t.conversation.send("Hello?");
  await t.idle();
  t.conversation.retry();
  await t.idle();
  const keys = t.seen.map((request) => request.headers.get("idempotency-key"));
  assertEquals(new Set(keys).size, 2);
  assertEquals(t.conversation.state.failure, undefined);
});

Deno.test("Conversation.stop: cancels the run, keeps its text and ignores the rest of its frames", async () => {
  let end = (_: string) => {};
  const open = new ReadableStream({
    start(controller) {
      const write = (frames: string) => controller.enqueue(new TextEncoder().encode(frames));
      write(text(ANSWER.slice(0, 2)));
      end = (frames) => {
        write(frames);
        controller.close();
      };
    },
  });
  const t = setUp([() => stream(open), () => {
    end(
      text([{ type: "delta", text: " Too late." }, { type: "done", finishReason: "cancelled" }], 3),
    );
    return new Response(null, { status: 202 });
  }]);
  t.conversation.send("Hello?");
  await t.until((state) => state.turns.length === 2);
  t.conversation.stop();
  assertEquals(t.conversation.state.busy, false);
  assertEquals(t.conversation.state.turns[1], {
    id: 2,
    role: "assistant",
    text: "Hi.",
    partial: true,
    run: RUN,
    sources: undefined,
  });
  await open.cancel().catch(() => {});
  assertEquals(t.seen[1]?.url, `https://chat.example/v1/chat/runs/${RUN}/cancel`);
  assertEquals(t.seen[1]?.headers.get("x-service-session"), TOKEN);
  assertEquals([shownMessages(t), t.warnings], [["Hello?", "Hi."], []]);
});

Deno.test("Conversation.branch: asks again from a question, with its files and the run that it replaces", async () => {
  const t = setUp([1, 2, 3].map(() => () => stream(text(ANSWER))));
  t.conversation.state.files = [{ id: "file-1", name: "photo.png", mediaType: "image/png" }];
  assertEquals(t.conversation.send("Hello?"), true);
  assertEquals(t.conversation.branch(t.conversation.state.turns[0]!), false, "while it arrives");
  await t.until((state) => !state.busy);
  t.conversation.send("And then?");
  await t.until((state) => !state.busy);
  const [question] = t.conversation.state.turns;
  assertEquals(t.conversation.branch(question!, "Hello!"), true);
  await t.until((state) => !state.busy);
  assertEquals(shownMessages(t).length, 2);
  assertEquals(shownMessages(t)[0], "Hello!");
  const bodies = t.seen.map(({ body }) => body as { replaces?: string; messages: unknown[] });
  assertEquals(bodies.map(({ replaces }) => replaces), [undefined, undefined, RUN]);
  assertEquals(bodies[2]?.messages, [
    { role: "user", content: "Hello!", attachments: ["file-1"] },
  ]);
});

Deno.test("Conversation.send: waits while a file is being uploaded", () => {
  const t = setUp([]);
  let held = 0;
  t.conversation.state.uploading = () => !!++held as true;
  assertEquals([t.conversation.send("Hello?"), t.seen.length], [false, 0]);
  assertEquals(held, 1);
  t.conversation.restart();
  assertEquals([t.conversation.send("Hello?"), held], [false, 2], "also in a new conversation");
});

Deno.test("Conversation.send: a message of files only has their names as its text, within the limits", async () => {
  const t = setUp([() => stream(text(ANSWER))]);
  t.conversation.state.files = ["a.png", "b.pdf"].map((name, n) => {
    return { id: `file-${n}`, name, mediaType: "" };
  });
  assertEquals(t.conversation.send(" "), true);
  await t.idle();
  assertEquals(t.seen[0]?.body.messages, [
    { role: "user", content: "a.png, b.pdf", attachments: ["file-0", "file-1"] },
  ]);
  assertEquals(t.conversation.state.files, undefined);
});

Deno.test("Conversation: shows a rejection to the developer with its code, to the visitor as a calm sentence", async () => {
  const cases = [
    [403, "origin_not_allowed", UNAVAILABLE, "never"],
    [429, "plan_limit_exceeded", UNAVAILABLE, "new"],
    [413, "payload_too_large", GENERIC_ERROR, "never"],
    [500, "internal_error", GENERIC_ERROR, "new"],
  ] as const;
  for (const [status, code, say, retry] of cases) {
    const t = setUp([() => reject(status, code, { retryAfter: 17 })]);
    t.conversation.send("Hello?");
    await t.idle();
    const { failure } = t.conversation.state;
    assertEquals([failure?.stringId, failure?.retry, t.warnings], [say, retry, [code]]);
    if (status === 429) assertEquals(failure?.retryAt, 1_017_000);
  }
});

Deno.test("Conversation.setSessionToken: sends the question again that the old token could not send", async () => {
  const t = setUp([() => reject(401, "session_token_invalid")]);
  const wanted: string[] = [];
  t.emitter.on("session-expired", ({ code }) => {
    wanted.push(code);
    queueMicrotask(() => t.conversation.setSessionToken(`cs_fresh_token_number_${wanted.length}`));
  });
  t.conversation.send("Hello?");
  await t.until(() => wanted.length === 2);
  assertEquals(t.seen.map((request) => request.body.sessionToken), [
    TOKEN,
    "cs_fresh_token_number_1",
  ]);
  assertEquals(t.conversation.state.failure?.code, "session_token_invalid");
});

Deno.test("Conversation: with a session endpoint, renews an exhausted session once, invisibly", async () => {
  const minted = { sessionToken: "cs_minted_token_0001", messageCap: 20 };
  const t = setUp([
    () => reject(429, "rate_limit_exceeded", { scope: "session_messages" }),
    () => Response.json(minted, { status: 201 }),
    () => stream(text(ANSWER)),
  ], { endpoint: "https://shop.example/mint" });
  t.conversation.send("Hello?");
  await t.idle();
  assertEquals(t.seen[1]?.url, "https://shop.example/mint");
  assertEquals(t.seen[2]?.headers.get("x-service-session"), "cs_minted_token_0001");
  assertEquals([shownMessages(t), t.warnings, t.session.left], [["Hello?", "Hi."], [], 49]);
});

Deno.test("Conversation: a response that is no event stream shows as our failure", async () => {
  const page = () => new Response("<h1>Hi</h1>", { headers: { "content-type": "text/html" } });
  const t = setUp([page]);
  t.conversation.send("Hello?");
  await t.idle();
  assertEquals(t.conversation.state.failure?.code, "unexpected_response");
});

Deno.test("Conversation: an error frame, a length limit and an empty answer each end as expected", async () => {
  const error: Frame = {
    type: "error",
    code: "provider_error",
    message: "the provider rejected it",
  };
  const run = async (...frames: Frame[]) => {
    const t = setUp([() => stream(text([START, ...frames]))]);
    t.conversation.send("Hello?");
    await t.idle();
    return [t.conversation.state.failure?.code, t.conversation.state.turns[1]?.partial];
  };
  const word = ANSWER[1]!;
  assertEquals(await run(word, error, { type: "done", finishReason: "error" }), [
    "provider_error",
    true,
  ]);
  assertEquals(await run(word, { type: "done", finishReason: "length" }), [undefined, true]);
  assertEquals(await run({ type: "done", finishReason: "stop" }), ["empty_answer", undefined]);
});

Deno.test("Conversation.restart: ignores frames of the previous run", async () => {
  const t = setUp([() => stream(text(ANSWER))]);
  t.conversation.send("Hello?");
  t.conversation.restart();
  await t.idle();
  assertEquals(t.conversation.state.turns, []);
  assertEquals(t.conversation.state.conversationId, undefined);
});

Deno.test("Conversation.restart: shows another conversation, and follows its answer from the first frame", async () => {
  const t = setUp([() => stream(text(ANSWER)), () => stream(text(ANSWER).replaceAll(RUN, OTHER))]);
  t.conversation.send("Hello?");
  await t.until(() => t.seen.length === 1);
  const { nextId } = t.conversation.state;
  const turns = [{ id: nextId, role: "user" as const, text: "Earlier?", run: OTHER }];
  t.conversation.restart({
    turns,
    nextId: nextId + 1,
    conversationId: CONVERSATION,
    attempt: { key: "", run: OTHER, n: 0, messages: [] },
  });
  await t.idle();
  assertEquals(t.conversation.state.turns.map((turn) => turn.text), ["Earlier?", "Hi."]);
  assertEquals(t.conversation.state.turns[1]?.run, OTHER);
  assertEquals(t.seen.map(({ url }) => url), [
    "https://chat.example/v1/chat/stream",
    `https://chat.example/v1/chat/runs/${OTHER}/stream`,
  ], "the first answer is not cancelled");
  assertEquals(t.seen[1]?.headers.get("last-event-id"), `${OTHER}.0`);
});

Deno.test("Conversation: a run that can only be followed is not sent again when it is gone", async () => {
  const attempt = { key: "", run: RUN, n: 0, messages: [] };
  const saved: SavedState = {
    ...{ open: true, nextId: 2, conversationId: CONVERSATION, attempt },
    turns: [{ id: 1, role: "user", text: "Earlier?" }],
  };
  const t = setUp([() => reject(404, "not_found")], { saved });
  t.conversation.resume();
  await t.idle();
  assertEquals(t.conversation.state.failure?.stringId, UNAVAILABLE);
  assertEquals(t.seen.length, 1);
});

Deno.test("Conversation: keeps the first passages that its searches found, cut, and a retry starts over", async () => {
  const found = (...titles: string[]): Frame[] => [
    { type: "tool_call", name: "search_knowledge", args: { query: "q" } },
    {
      type: "tool_result",
      name: "search_knowledge",
      output: { passages: titles.map((title) => ({ title, text: "x".repeat(2000) })) },
    },
  ];
  const odd: Frame[] = [null, 7, { passages: "x" }, { passages: [null] }].map((output, n) => {
    return { type: "tool_result", name: n === 3 ? "other" : "search_knowledge", output };
  });
  const words: Frame[] = [{ type: "delta", text: "Hi." }];
  const failed: Frame[] = [
    ...[START, ...found("Old"), ...words],
    { type: "error", code: "provider_error", message: "" },
    { type: "done", finishReason: "error" },
  ];
  const whole: Frame[] = [
    ...[START, ...found("A", "B", "A"), ...odd, ...words, ...found(..."CDEFGH")],
    { type: "done", finishReason: "stop" },
  ];
  const titleOf = (source: unknown) => Object(source).title;
  const t = setUp([() => stream(text(failed)), () => stream(text(whole).replaceAll(RUN, OTHER))]);
  t.conversation.send("One");
  await t.idle();
  assertEquals(t.conversation.state.turns.at(-1)?.sources?.map(titleOf), ["Old"]);
  t.conversation.retry();
  await t.idle();
  const { sources } = t.conversation.state.turns.at(-1)!;
  assertEquals(sources?.map(titleOf), [..."ABACDEFG"]);
  assertEquals(Object(sources![0]).text.length, 1000);
});

Deno.test("Conversation.wake: sends what could not be sent once the network is back", async () => {
  const t = setUp([
    ...Array.from({ length: 7 }, () => () => Promise.reject(new TypeError("Failed to fetch"))),
    () =>
      stream(text([START, { type: "delta", text: "Hi." }, { type: "done", finishReason: "stop" }])),
  ]);
  t.conversation.send("One");
  await t.idle();
  assertEquals(t.conversation.state.failure?.code, "network_error");
  t.conversation.wake(12_000);
  assertEquals(t.conversation.state.busy, false);
  t.conversation.wake(0);
  await t.idle();
  assertEquals(t.conversation.state.turns.map(({ text }) => text), ["One", "Hi."]);
});
