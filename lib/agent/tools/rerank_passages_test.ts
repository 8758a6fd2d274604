import { assertEquals, assertRejects } from "@std/assert";
import { rerankPassages } from "./rerank_passages.ts";

const PASSAGES = ["a", "b", "c"].map((text) => ({ title: text, headingPath: [], text }));

/** Orders the passages with a model that answers, or waits until it is stopped. */
async function order(answer: string | undefined, signal = new AbortController().signal) {
  const client = {
    stream: ({ signal }: { signal: AbortSignal }) =>
      Promise.resolve({
        read: (onEvent: (event: unknown) => void) => {
          if (answer !== undefined) return Promise.resolve(onEvent({ type: "text", text: answer }));
          return new Promise((_, reject) => {
            const stop = () => reject(signal.reason);
            if (signal.aborted) stop();
            else signal.addEventListener("abort", stop);
          });
        },
      }),
  };
  const ordered = await rerankPassages("q", PASSAGES, {
    candidate: { provider: "vendor_a", model: "m", client: client as never },
    authorize: () => Promise.resolve({ outputTokens: () => 10 } as never),
    onUsage: () => {},
    // The time is up at once, if it is waited for.
    runtime: { sleep: () => answer === undefined ? Promise.resolve() : new Promise(() => {}) },
    signal,
  });
  return ordered.map(({ text }) => text).join("");
}

Deno.test("rerankPassages: named ids first, all others in their order", async () => {
  assertEquals(await order('{"order":[2,0]}'), "cab");
  assertEquals(await order('```json\n{"order":[1,1,1]}\n```'), "bac");
  for (const answer of ["", "null", "[2]", '{"order":[3,-1,0.5,"2"]}', '{"order":{}}']) {
    assertEquals(await order(answer), "abc", answer);
  }
});

Deno.test("rerankPassages: a model that takes too long changes nothing, and a stopped run throws", async () => {
  assertEquals(await order(undefined), "abc");
  const reason = new Error("stopped");
  assertEquals(await assertRejects(() => order(undefined, AbortSignal.abort(reason))), reason);
});
