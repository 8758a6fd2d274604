/** Calls of tools that wait, as a part of a conversation. */
import { assertEquals } from "@std/assert";
import type { Frame } from "../lib/schemas/frames.ts";
import { OTHER, RUN, setUp, START, stream, text } from "../tests/support/widget_conversation.ts";
import { createTabStore } from "./tab_store.ts";

const CALL: Frame = {
  ...{ type: "tool_call", name: "cancel_order", title: "Cancel an order", args: { id: "A-1" } },
  ...{ pending: true, waitsFor: "visitor", expiresAt: "2026-01-15T12:01:00.000Z" },
};
const END: Frame[] = [
  { type: "tool_result", name: "cancel_order", output: {}, call: 2 },
  { type: "delta", text: "Done." },
  { type: "done", finishReason: "stop" },
];

/** A stream that stays open. */
function open(frames: Frame[]): Response {
  const wire = new TextEncoder().encode(text(frames));
  return stream(new ReadableStream({ start: (controller) => controller.enqueue(wire) }));
}

Deno.test("Conversation: a call that waits outlives a lost connection, and ends with its result", async () => {
  const offline = () => Promise.reject(new TypeError("connection refused"));
  const back = () => stream(text(END, 3));
  const answers: (() => Response | Promise<Response>)[] = [() => stream(text([START, CALL]))];
  const { conversation, idle } = setUp([...answers, ...Array(7).fill(offline), back]);
  conversation.send("Please cancel it.");
  await idle();
  assertEquals(conversation.state.failure?.code, "network_error");
  assertEquals(conversation.state.calls?.map(({ run, n }) => [run, n]), [[RUN, 2]]);
  conversation.retry();
  await idle();
  assertEquals(conversation.state.turns.map((turn) => turn.text), ["Please cancel it.", "Done."]);
  assertEquals(conversation.state.calls ?? [], []);
});

Deno.test("Conversation: a call that waits goes when the visitor stops the answer, and with another run", async () => {
  const { conversation, until } = setUp([() => open([START, CALL])]);
  conversation.send("Please cancel it.");
  await until(({ calls }) => calls?.length === 1);
  conversation.stop();
  assertEquals(conversation.state.calls, undefined);

  const seen: unknown[] = [];
  const again = setUp([
    () => stream(text([START, CALL])),
    () => stream(text([START, { type: "done", finishReason: "stop" }]).replaceAll(RUN, OTHER)),
  ]);
  again.emitter.on("start", ({ runId }) => seen.push([runId, again.conversation.state.calls]));
  again.conversation.send("Please cancel it.");
  await again.until(({ calls }) => calls?.length === 1);
  await again.idle();
  assertEquals(seen, [[RUN, undefined], [OTHER, undefined]]);
});

Deno.test("createTabStore: keeps calls that wait", async () => {
  const entries = new Map<string, string>();
  const storage = {
    getItem: (key: string) => entries.get(key) ?? null,
    setItem: (key: string, value: string) => void entries.set(key, value),
  } as unknown as Storage;
  const { conversation, until } = setUp([() => open([START, CALL])]);
  conversation.send("Please cancel it.");
  await until(({ calls }) => calls?.length === 1);
  const tab = createTabStore("agent", () => storage);
  tab.save(conversation.state);
  assertEquals(tab.load()?.calls, conversation.state.calls);
  conversation.stop();
});
