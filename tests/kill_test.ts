/** A process that is killed at any moment leaves every run with one end: CONTRACT sections 6 and 8. */
import { assert, assertEquals } from "@std/assert";
import { LEASE_MS } from "@/lib/limits/ledger.ts";
import type { RunHead } from "@/lib/storage/run_head.ts";
import { type DecodedFrame, FrameDecoder } from "@/lib/wire/frame_decoder.ts";
import { accounts } from "./support/accounts.ts";
import { agentBody } from "./support/service.ts";
import { catalogueEntry } from "./support/chat.ts";
import { seeded } from "./support/flaky_kv.ts";
import { readFrames } from "./support/frames.ts";
import { MockVendors } from "./support/mock_vendors/mock_vendors.ts";
import type { Say, Script } from "./support/mock_vendors/script.ts";
import { TestService } from "./support/service.ts";
import { createKey, startService } from "./support/started_service.ts";
import { say } from "./support/widget_calls.ts";

const KILLS = 5;
const RUNS_A_KILL = 4;
const WORDS = 60;

/** An answer of many words, some milliseconds apart: about a third of a second. */
const SLOW: Script = {
  say: Array.from({ length: WORDS }, (_, n): Say[] => [{ wait: 5 }, { text: `word ${n} ` }]).flat(),
  usage: { input: 25, output: WORDS },
};

interface SeenRun {
  runId: string;
  frames: DecodedFrame[];
}

/** Sends a message and reads until the process is gone; tells of each frame it sees. */
async function follow(
  base: string,
  { key, agentId, onFrame }: { key: string; agentId: string; onFrame: () => void },
): Promise<SeenRun | undefined> {
  const response = await fetch(`${base}/v1/chat/stream`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ agentId, messages: [say("Hello")], maxOutputTokens: 100 }),
  }).catch(() => undefined);
  // Killed before it was answered: it may have been let in or not.
  if (response === undefined) return undefined;
  const runId = response.headers.get("x-run-id")!;
  const frames: DecodedFrame[] = [];
  const decoder = new FrameDecoder();
  try {
    for await (const chunk of response.body!) {
      for (const frame of decoder.push(chunk)) {
        frames.push(frame);
        onFrame();
      }
    }
  } catch {
    // Killed: what was seen by then is what counts.
  }
  return { runId, frames };
}

/** Lets runs begin, and kills their process when they have told `frames` frames between them. */
async function killAfter(
  frames: number,
  { dir, env, key, agentId }: {
    dir: string;
    env: Record<string, string>;
    key: string;
    agentId: string;
  },
): Promise<SeenRun[]> {
  await using service = await startService(dir, env);
  const told = Promise.withResolvers<void>();
  let left = frames;
  const onFrame = () => --left === 0 && told.resolve();
  const runs = Array.from({ length: RUNS_A_KILL }, () => {
    return follow(service.base, { key, agentId, onFrame });
  });
  await Promise.race([told.promise, Promise.all(runs)]);
  await service.kill();
  return (await Promise.all(runs)).filter((run) => run !== undefined);
}

const numberOf = (id: string | undefined) => Number(id?.split(".")[1] ?? 0);

/** What a client that resumes is told, after what it has. */
async function checkResumed(service: TestService, seen: SeenRun, key: string) {
  const after = seen.frames.at(-1)?.id ?? "";
  const url = `/v1/chat/runs/${seen.runId}/stream`;
  const response = await service.fetch(url, { key, headers: { "last-event-id": after } });
  if (response.status === 204) return assertEquals(seen.frames.at(-1)?.type, "done");
  const rest = await readFrames(response);
  const ids = rest.map(({ id }) => numberOf(id));
  assertEquals(ids, ids.map((_, n) => numberOf(after) + 1 + n));
  const all = [...seen.frames.map(({ type }) => type), ...rest.map(({ frame }) => frame.type)];
  assertEquals(all.filter((type) => type === "done").length, 1);
  assertEquals(all.at(-1), "done");
  return rest.find(({ frame }) => frame.type === "error")?.frame;
}

/** What another process makes of the runs, when their leases have lapsed. */
async function checkAfter(dir: string, runs: readonly SeenRun[]) {
  using kv = await Deno.openKv(`${dir}/data/kv.sqlite3`);
  const now = () => Date.now() + LEASE_MS + 1_000;
  await using service = await TestService.start({ kv, keepKv: true, system: { now } });
  await service.service.deadRuns.sweep();
  const { live, leases, records, used, settled, spent } = await accounts(kv);
  assertEquals([live, leases], [[], []]);
  assertEquals([used, spent], [settled, settled.cost]);
  const key = await service.key();
  let interrupted = 0;
  for (const run of runs) {
    const { finishReason } = records.get(run.runId)!;
    const [head] = (await Array.fromAsync(kv.list<RunHead>({ prefix: ["run_heads"] })))
      .filter(({ value }) => value.runId === run.runId);
    const error = await checkResumed(service, run, key);
    if (finishReason === "interrupted") {
      interrupted++;
      assertEquals(head?.value.state, "interrupted");
      assert(error?.type === "error" && error.code === "run_interrupted");
    } else {
      assertEquals([finishReason, head?.value.state, error], ["stop", "done", undefined]);
    }
  }
  return { interrupted, charged: settled.cost, runs: settled.runs };
}

Deno.test("kill -9 at any moment of 20 runs: each has one end, nothing leaks, the ledger balances", async () => {
  const random = seeded(20);
  const dir = await Deno.makeTempDir();
  try {
    await using mock = await MockVendors.start({ otherwise: () => SLOW });
    await Deno.writeTextFile(`${dir}/catalogue.json`, JSON.stringify([catalogueEntry()]));
    const env = {
      CATALOGUE: `${dir}/catalogue.json`,
      VENDOR_A_BASE_URL: mock.url,
      VENDOR_A_API_KEY: "sk-test",
    };
    const { key, agentId } = await setUp(dir, env);
    const ends = { interrupted: 0, charged: 0, runs: 0 };
    let known = 0;
    for (let kill = 1; kill <= KILLS; kill++) {
      const frames = 1 + Math.floor(random() * 12 * RUNS_A_KILL);
      const runs = await killAfter(frames, { dir, env, key, agentId });
      const { interrupted, charged, runs: settled } = await checkAfter(dir, runs);
      ends.interrupted += interrupted;
      known += runs.length;
      assert(settled >= known && settled <= kill * RUNS_A_KILL);
      assert(charged > ends.charged);
      ends.charged = charged;
    }
    assert(ends.interrupted > 0);
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
});

/** An agent on the priced model, made at the running service. */
async function setUp(dir: string, env: Record<string, string>) {
  await using service = await startService(dir, env);
  const key = await createKey(dir);
  const response = await fetch(`${service.base}/v1/agents`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({
      ...agentBody(),
      modelPolicy: { provider: "vendor_a", model: "mid" },
    }),
  });
  const { id } = await response.json();
  await service.stop();
  return { key, agentId: id as string };
}
