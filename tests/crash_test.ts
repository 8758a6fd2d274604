/** A killed process loses no settlement and leaks no slot: CONTRACT sections 6 and 8. */
import { assertEquals } from "@std/assert";
import { LEASE_MS } from "@/lib/billing/ledger.ts";
import { readStoredUsage } from "./support/stored_usage.ts";
import { readFrames } from "./support/frames.ts";
import { pausableRuntime } from "./support/pausable_runtime.ts";
import { TestService } from "./support/service.ts";
import { fileStore, onStores } from "./support/shared_store.ts";
import { sweepOrphaned } from "./support/sweep_orphaned.ts";
import { createKey, startService } from "./support/started_service.ts";

const test = onStores(fileStore);

const FINISHED = 4;
const INTERRUPTED = 5;

/** A client of the service in the other process. */
function client(base: string, key: string) {
  const post = (path: string, json: unknown) =>
    fetch(base + path, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify(json),
    });
  return {
    async createAgent(): Promise<string> {
      const response = await post("/v1/agents", {
        name: "Helper",
        systemPrompt: "Be helpful.",
        modelPolicy: { provider: "vendor_a", model: "demo" },
        budget: { maxCostUsd: 1, maxSteps: 4, wallClockMs: 30_000 },
        tools: [],
        allowedDomains: [],
      });
      return (await response.json()).id;
    },
    /** Sends one message; the demo model streams about 40 words per second. */
    chat: (agentId: string, { words }: { words: number }) =>
      post("/v1/chat/stream", {
        agentId,
        messages: [{ role: "user", content: "a ".repeat(140) }],
        maxOutputTokens: words,
      }),
  };
}

/** Reads a finished run: its id and the tokens that its usage frame reports. */
async function readFinishedRun(response: Response) {
  const frames = (await readFrames(response)).map(({ frame }) => frame);
  assertEquals(frames.at(-1), { type: "done", finishReason: "length" });
  const usage = frames.find((frame) => frame.type === "usage")!;
  const { inputTokens, outputTokens } = usage;
  return { runId: response.headers.get("x-run-id")!, inputTokens, outputTokens };
}

test("kill -9: finished runs are settled, running ones are settled later, and no slot leaks", async (store) => {
  const { dir, env } = store;
  await using first = await startService(dir, env);
  const key = await createKey(dir, { env });
  const { createAgent, chat } = client(first.base, key);
  const agentId = await createAgent();
  const running = await Promise.all(
    Array.from({ length: INTERRUPTED }, () => chat(agentId, { words: 4_096 })),
  );
  const finished = await Promise.all(Array.from({ length: FINISHED }, async () => {
    return await readFinishedRun(await chat(agentId, { words: 3 }));
  }));
  await first.kill();
  const interrupted = running.map((response) => response.headers.get("x-run-id")!).sort();
  await Promise.all(running.map((response) => response.body?.cancel().catch(() => {})));

  const kv = await store.open();
  const before = await readStoredUsage(kv);
  for (const { runId, ...tokens } of finished) {
    const { inputTokens, outputTokens } = before.records.get(runId)!;
    assertEquals({ inputTokens, outputTokens }, tokens);
  }
  assertEquals(before.used, before.settled);
  assertEquals([before.settled.runs, before.spent], [FINISHED, before.settled.cost]);
  assertEquals([before.live, before.leases], [interrupted, interrupted]);

  const paused = pausableRuntime(Date.now() + LEASE_MS);
  await using second = await TestService.start({ runtime: paused.runtime, kv, keepKv: true });
  await sweepOrphaned(second.service.orphanedRuns, paused.advance);
  const after = await readStoredUsage(kv);
  assertEquals([after.live, after.leases], [[], []]);
  assertEquals(after.used, after.settled);
  assertEquals([after.settled.runs, after.spent], [FINISHED + INTERRUPTED, after.settled.cost]);
  const ends = interrupted.map((runId) => after.records.get(runId)?.finishReason);
  assertEquals(ends, Array(INTERRUPTED).fill("interrupted"));

  const newKey = await second.key();
  const again = client(second.url, newKey);
  const streams = await Promise.all(
    Array.from({ length: 11 }, () => again.chat(agentId, { words: 3 })),
  );
  const statuses = streams.map(({ status }) => status).sort();
  assertEquals(statuses, [...Array(10).fill(200), 429]);
  paused.release();
  await Promise.all(streams.map((response) => response.text()));
});

test("kill -9: the next process opens the same store at once, with every key and agent", async ({ dir, env }) => {
  await using first = await startService(dir, env);
  const key = await createKey(dir, { env });
  const agentId = await client(first.base, key).createAgent();
  const stream = await client(first.base, key).chat(agentId, { words: 4_096 });
  await first.kill();
  await stream.body?.cancel().catch(() => {});
  await using second = await startService(dir, env);
  const answer = await client(second.base, key).chat(agentId, { words: 3 });
  await readFinishedRun(answer);
  assertEquals((await second.stop()).code, 0);
});
