import type { LoggedFrame } from "@/lib/chat/log/run_log.ts";
import type { Frame } from "@/lib/schemas/frames.ts";
import { readFrames } from "../frames.ts";
import { SeededRandom } from "../fuzz/seeded_random.ts";
import { httpTool } from "../agent_bodies.ts";
import { MockProviders } from "../mock_providers/mock_providers.ts";
import type { Script, ScriptedPart } from "../mock_providers/script.ts";
import { ProviderService } from "../provider_service.ts";
import { SseText } from "../sse_text.ts";
import { FrameDecoder } from "@/lib/schemas/frame_decoder.ts";

/** A run as the service streamed it. */
export interface RecordedRun {
  kind: RunKind;
  runId: string;
  frames: readonly LoggedFrame[];
}

const RUN_KINDS = [
  "text",
  "tools",
  "knowledge",
  "fallback",
  "error",
  "cut",
  "budget",
  "no text",
  "cancelled",
  "interrupted",
] as const;
export type RunKind = typeof RUN_KINDS[number];

const WORDS = [
  "Hello",
  " the",
  " answer",
  ",\n",
  " 42",
  " ünïcödé",
  " 🦊",
  ' "quoted" ',
  " <b>",
  "\\",
];

/** Runs of every kind, by turns, streamed by a real service from scripted providers. */
export async function recordRuns(count: number, seed: number): Promise<RecordedRun[]> {
  const dice = new SeededRandom(seed);
  // What the provider answers next; what a stopped run leaves is dropped.
  let scripts: Script[] = [];
  const play = (...next: Script[]) => void (scripts = next);
  await using mock = await MockProviders.start({ otherwise: () => scripts.shift() ?? {} });
  const tool = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen: () => {} },
    () =>
      dice.chance(0.2)
        ? new Response("no", { status: 500 })
        : Response.json({ found: dice.int(0, 9) }),
  );
  const host = `127.0.0.1:${tool.addr.port}`;
  await using on = await ProviderService.start(mock, {
    ...{ runtime: { sleep }, env: { EGRESS_ALLOW: host } },
  });
  try {
    const agents = await createAgents(on, host);
    const runs: RecordedRun[] = [];
    for (let n = 0; n < count; n++) {
      const kind = RUN_KINDS[n % RUN_KINDS.length]!;
      runs.push(await record(kind, { on, agents, dice, play }));
    }
    return runs;
  } finally {
    await tool.shutdown();
  }
}

/** Pauses between attempts end at once; timeouts wait until they are aborted. */
function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  if (signal?.aborted) return Promise.reject(signal.reason);
  if (ms < 5_000) return Promise.resolve();
  return new Promise((_resolve, reject) => {
    signal?.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}

type Agents = Awaited<ReturnType<typeof createAgents>>;

async function createAgents(on: ProviderService, host: string) {
  const tenant = await on.service.tenant();
  const { knowledge, documents } = on.service.service;
  const base = await knowledge.create(tenant, { name: "Shop" });
  for (const title of ["Handbook", "https://shop.example/returns?a=1&b=2"]) {
    const bytes = new TextEncoder().encode(`${title}: a book can be returned within thirty days.`);
    await knowledge.addDocument({ tenant, base: base.id }, {
      title,
      mediaType: "text/plain",
      bytes,
    });
  }
  await documents.whenIdle();
  const tools = [
    httpTool({ request: { method: "GET", url: `http://${host}/`, query: { q: "{{q}}" } } }),
  ];
  const change = { tools, allowedDomains: [host], knowledgeBaseId: base.id };
  const budget = { maxCostUsd: 1, maxSteps: 3, wallClockMs: 30_000 };
  return {
    plain: await on.agent("vendor_a", { ...change, budget: { ...budget, maxSteps: 8 } }),
    limited: await on.agent("vendor_a", { ...change, budget }),
    covered: await on.agent("vendor_a", { fallback: { provider: "vendor_b", model: "mid" } }),
  };
}

async function record(
  kind: RunKind,
  { on, agents, dice, play }: {
    on: ProviderService;
    agents: Agents;
    dice: SeededRandom;
    play: (...scripts: Script[]) => void;
  },
): Promise<RecordedRun> {
  const text = (): ScriptedPart[] =>
    Array.from({ length: dice.int(1, 6) }, () => ({ text: dice.pick(WORDS) }));
  const call = (name = "lookup"): ScriptedPart => {
    const args = name === "lookup" ? { q: dice.pick(WORDS) } : { query: "return a book" };
    return { calls: [{ id: `c${dice.int(0, 9e6)}`, name, args: [JSON.stringify(args)] }] };
  };
  const step = (...say: ScriptedPart[]): Script => ({ say, end: "calls" });
  let agent = agents.plain;
  let stop: "cancelled" | "interrupted" | undefined;
  switch (kind) {
    case "text":
      play({ say: text() });
      break;
    case "tools":
      play(step(...text(), call()), step(call()), step(...text(), call("no_such_tool")), {
        say: text(),
      });
      break;
    case "knowledge":
      play(step(call("search_knowledge")), step(call("search_knowledge"), call()), {
        say: text(),
      });
      break;
    case "fallback":
      agent = agents.covered;
      play({ status: 500 }, { status: 500 }, { status: 500 }, { say: text() });
      break;
    case "error":
      play(step(...text(), call()), {
        say: [...text(), { error: "overloaded" }],
        end: "none",
      });
      break;
    case "cut":
      play({ say: text(), end: dice.pick(["length", "filter"] as const) });
      break;
    case "budget":
      agent = agents.limited;
      play(step(...text(), call()), step(call()), step(call()));
      break;
    case "no text":
      agent = agents.limited;
      play(step(call()), step(call()), step(call()));
      break;
    case "cancelled":
    case "interrupted":
      stop = kind;
      play(
        ...dice.chance(0.5) ? [step(...text(), call())] : [],
        { say: [...text(), { wait: new Promise(() => {}) }], end: "none" },
      );
  }
  const answer = await on.send(agent);
  return { kind, ...await readRun(answer, { on, stop }) };
}

/** Reads a run to its end; one to be stopped is stopped after its first text of a step that hangs. */
async function readRun(
  answer: Response,
  { on, stop }: { on: ProviderService; stop: "cancelled" | "interrupted" | undefined },
): Promise<{ runId: string; frames: LoggedFrame[] }> {
  if (stop === undefined) return numbered((await readFrames(answer)).map(({ frame }) => frame));
  await using stream = new SseText(answer);
  await stream.until("event: delta");
  const { runId } = stream.frame("start") as { runId: string };
  if (stop === "cancelled") await on.service.service.runs.cancel(await on.service.tenant(), runId);
  else on.service.service.chat.stopRunWithLostLease(runId);
  await stream.until("event: done");
  return numbered(new FrameDecoder().push(stream.text).map(({ data }) => data as Frame));
}

function numbered(frames: readonly Frame[]): { runId: string; frames: LoggedFrame[] } {
  const [start] = frames;
  if (start?.type !== "start") throw new Error(`a run begins with ${start?.type}`);
  return { runId: start.runId, frames: frames.map((frame, i) => ({ n: i + 1, frame })) };
}
