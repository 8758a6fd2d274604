import { assert, assertEquals } from "@std/assert";
import type { DecodedFrame } from "@/lib/schemas/frame_decoder.ts";
import { FrameDecoder } from "@/lib/schemas/frame_decoder.ts";
import { httpTool } from "./agent_bodies.ts";
import { acceleratedRuntime } from "./accelerated_runtime.ts";
import { catalogueEntry } from "./chat.ts";
import { CuttingProxy } from "./cutting_proxy.ts";
import { seeded } from "./flaky_kv.ts";
import { MockProviders } from "./mock_providers/mock_providers.ts";
import type { ScriptedPart } from "./mock_providers/script.ts";
import { readFrames, textOf } from "./frames.ts";
import { TestService } from "./service.ts";
import { byKey, say } from "./widget_calls.ts";

const CUTS = 200;
/** A response head has about 500 bytes, a text frame 150, the largest 1,000: every cut allows progress. */
const MOST_BYTES = 3_000;
const WORDS = 50;
/** Cuts while the run's tool is running. */
const TOOL_CUTS = 10;

/** A sequence of gates, which the test opens in order. */
class Gates {
  readonly #waiting: PromiseWithResolvers<void>[] = [];
  #opened = 0;

  next(): Promise<void> {
    const gate = Promise.withResolvers<void>();
    this.#waiting.push(gate);
    return gate.promise;
  }

  open(): void {
    this.#waiting[this.#opened++]?.resolve();
  }
}

/** A service whose model writes a word per gate and calls a tool that waits for the test. */
async function start(mock: MockProviders, options: { kv: Deno.Kv }) {
  const gates = new Gates();
  const words = (name: string): ScriptedPart[] =>
    Array.from({ length: WORDS }, (_, n): ScriptedPart[] => [
      { wait: gates.next() },
      { text: `${name} ${n} „größer“ 👩‍🚀\n\n` },
    ]).flat();
  const first = words("before");
  const tooled = Promise.withResolvers<void>();
  const second = words("after");
  const args = ['{"q":"x"}'];
  mock.next({ say: [...first, { calls: [{ id: "c1", name: "lookup", args }] }] }, { say: second });
  const tool = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen: () => {} },
    async () => {
      await tooled.promise;
      return Response.json({ found: "ü".repeat(200) });
    },
  );
  const host = `127.0.0.1:${tool.addr.port}`;
  const env = { EGRESS_ALLOW: host, VENDOR_A_BASE_URL: mock.url, VENDOR_A_API_KEY: "sk-test" };
  const service = await TestService.start({
    env,
    runtime: acceleratedRuntime,
    keepKv: true,
    ...options,
  });
  await service.service.catalogue.addMissing([catalogueEntry()]);
  const key = await service.key();
  const agent = await service.agent(key, {
    modelPolicy: { provider: "vendor_a", model: "mid" },
    tools: [httpTool({ request: { method: "GET", url: `http://${host}/` } })],
    allowedDomains: [host],
    budget: { maxCostUsd: 1, maxSteps: 4, wallClockMs: 120_000 },
  });
  return { service, key, agent, gates, endTool: tooled.resolve, closeTool: () => tool.shutdown() };
}

/** Follows a run until `done`, whatever happens to its connections. */
class CutClient {
  readonly frames: DecodedFrame[] = [];

  get last(): string | undefined {
    return this.frames.at(-1)?.type;
  }

  get done(): boolean {
    return this.last === "done";
  }

  get text(): string {
    return this.frames.map(({ data }) => (data.type === "delta" ? data.text : "")).join("");
  }

  /** Reads one connection until it ends or is cut. True if no frames were left. */
  async connect(
    url: string,
    { key, onChunk }: { key: string; onChunk: (client: CutClient) => void },
  ) {
    const decoder = new FrameDecoder();
    const last = this.frames.at(-1)?.id ?? "";
    const headers = { authorization: `Bearer ${key}`, "last-event-id": last };
    try {
      const response = await fetch(url, { headers });
      if (response.status === 204) return true;
      assertEquals(response.status, 200);
      for await (const chunk of response.body!) {
        this.frames.push(...decoder.push(chunk));
        onChunk(this);
      }
    } catch (error) {
      // The connection was cut; any other error is unexpected.
      if (!(error instanceof TypeError)) throw error;
    }
    return false;
  }
}

/**
 * Cuts clients of one run at 200 places, including while its tool runs and right after `done`. When
 * one client finishes, the next starts. The run is on the first of `stores`; clients reconnect to a
 * service on any of them. All receive the same frames as an uncut client.
 */
export async function cutAndCompare(seed: number, stores: readonly [Deno.Kv, ...Deno.Kv[]]) {
  const random = seeded(seed);
  await using mock = await MockProviders.start();
  const { service, key, agent, gates, endTool, closeTool } = await start(mock, { kv: stores[0] });
  await using owner = service;
  await using stack = new AsyncDisposableStack();
  const others = await Promise.all(
    stores.slice(1).map((kv) =>
      TestService.start({ kv, keepKv: true, runtime: acceleratedRuntime })
    ),
  );
  for (const other of others) stack.use(other);
  const ports = [owner, ...others].map(({ url }) => Number(new URL(url).port));
  await using proxy = new CuttingProxy(() => ({
    port: ports[Math.floor(random() * ports.length)]!,
    ...random() < 0.1 ? { after: "event: done" } : { bytes: 1 + Math.floor(random() * MOST_BYTES) },
  }));
  gates.open();
  const body = { agentId: agent.id, messages: [say("Say all of it")] };
  const uncut = await byKey(owner, { key, body });
  const url = `${proxy.url}/v1/chat/runs/${uncut.headers.get("x-run-id")}/stream`;
  const whole = readFrames(uncut);
  let inTool = 0;
  const onChunk = ({ last }: CutClient) => {
    if (last !== "tool_call") return gates.open();
    // No frames arrive while a tool runs, so the connection is cut directly.
    if (inTool++ < TOOL_CUTS) return proxy.cut();
    endTool();
  };
  const clients = [new CutClient()];
  let nothingLeft = 0;
  while (proxy.cuts < CUTS || !clients.at(-1)!.done) {
    gates.open();
    const client = clients.at(-1)!;
    if (await client.connect(url, { key, onChunk })) nothingLeft++;
    // A finished client sometimes requests once more, like one that was cut after `done`.
    if (client.done && random() < 0.5) clients.push(new CutClient());
  }
  const frames = await whole;
  const expected = frames.map(({ id, frame }) => ({ id, type: frame.type, data: frame }));
  for (const client of clients) assertEquals(client.frames, expected);
  assertEquals(clients[0]!.text, textOf(frames));
  assertEquals(textOf(frames).match(/👩‍🚀/g)?.length, 2 * WORDS);
  assert(frames.some(({ frame }) => frame.type === "tool_result"));
  assert(inTool >= TOOL_CUTS && proxy.cutsAfter > 0 && nothingLeft > 0);
  await closeTool();
}
