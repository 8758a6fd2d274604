import { assertEquals } from "@std/assert";
import { RUN } from "../../../tests/support/widget_conversation.ts";
import type { PageTool } from "../../client/page_tool.ts";
import { initialState, type WaitingCall } from "../../state.ts";
import type { ExtrasContext } from "../extras_context.ts";
import { pageCalls } from "./page_calls.ts";

const CALL: WaitingCall = {
  ...{ type: "tool_call", name: "read_cart", title: "read cart", args: {}, run: RUN, n: 2 },
  waitsFor: "page",
};

/** A tab with a call that waits, in a browser whose locks are `held`. */
function setUp(
  { key = "key-1", call = CALL, held = new Set<string>(), page = { readyState: "complete" } } = {},
) {
  Object.defineProperty(globalThis, "document", { value: page, configurable: true });
  const state = { ...initialState(), calls: [call] };
  state.attempt = { key, run: RUN, n: 2, messages: [] };
  const calls: AbortSignal[] = [];
  const saved: (boolean | undefined)[] = [];
  const sent: unknown[] = [];
  const tool: PageTool = (_args, { signal }) => {
    calls.push(signal);
    saved.push(state.calls[0]!.begun);
    return 12;
  };
  const { promise: answered, resolve } = Promise.withResolvers<void>();
  const locks = {
    request(name: string, _options: unknown, act: (lock: unknown) => Promise<void>) {
      const isFree = !held.has(name);
      held.add(name);
      return act(isFree ? {} : null);
    },
  };
  Object.defineProperty(navigator, "locks", { value: locks, configurable: true });
  const listeners: (() => void)[] = [];
  const draw = pageCalls(
    {
      ui: {
        conversation: { state },
        tools: new Set([["read_cart", tool]]),
        handle: { on: (_name: string, listener: () => void) => listeners.push(listener) },
      },
      callService(_path: string, { body }: { body: unknown }) {
        sent.push(body);
        resolve();
        return Promise.resolve(new Response(null, { status: 204 }));
      },
      changed() {},
    } as unknown as ExtrasContext,
  );
  return { draw, state, calls, saved, sent, answered, held, destroy: () => listeners[0]!() };
}

Deno.test("pageCalls: calls a function once, however often the panel is drawn, and marks that before", async () => {
  const { draw, calls, saved, sent, answered } = setUp({ call: { ...CALL } });
  for (let n = 0; n < 3; n++) draw();
  await answered;
  assertEquals([calls.length, saved, sent], [1, [true], [{ output: 12 }]]);
});

Deno.test("pageCalls: a call that had begun is answered with an error instead", async () => {
  const { draw, calls, sent, answered } = setUp({ call: { ...CALL, begun: true } });
  draw();
  await answered;
  assertEquals([calls.length, sent], [0, [{ error: "the page was left" }]]);
});

Deno.test("pageCalls: nothing is called in a copy of the tab, nor in a tab that only follows the answer", () => {
  const first = setUp({ call: { ...CALL } });
  first.draw();
  const copy = setUp({ call: { ...CALL }, held: first.held });
  copy.draw();
  assertEquals([first.calls.length, copy.calls.length], [1, 0]);
  const follower = setUp({ call: { ...CALL }, key: "" });
  follower.draw();
  assertEquals(follower.calls.length, 0);
});

Deno.test("pageCalls: a call that waits no more is aborted, and all when the widget is removed", () => {
  const ended = setUp({ call: { ...CALL } });
  ended.draw();
  ended.state.calls = [];
  ended.draw();
  const removed = setUp({ call: { ...CALL } });
  removed.draw();
  assertEquals(removed.calls[0]!.aborted, false);
  removed.destroy();
  assertEquals([...ended.calls, ...removed.calls].map(({ aborted }) => aborted), [true, true]);
});

Deno.test("pageCalls: a page that is loading can still register its function", async () => {
  const page = { readyState: "interactive" };
  const { draw, calls, sent, answered } = setUp({ call: { ...CALL }, page });
  draw();
  assertEquals(calls.length, 0);
  page.readyState = "complete";
  await answered;
  assertEquals([calls.length, sent], [1, [{ output: 12 }]]);
});

Deno.test("pageCalls: nothing is called for a call that ended while the page was loading", async () => {
  const seen = Promise.withResolvers<void>();
  let readyState = "interactive";
  const page = {
    get readyState() {
      if (readyState === "complete") seen.resolve();
      return readyState;
    },
  };
  const { draw, calls, sent, destroy } = setUp({ call: { ...CALL }, page });
  draw();
  destroy();
  readyState = "complete";
  await seen.promise;
  assertEquals([calls.length, sent], [0, []]);
});
