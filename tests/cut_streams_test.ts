/** A client that is cut again and again has what an uncut one has: CONTRACT section 6. */
import { assert, assertEquals } from "@std/assert";
import type { DecodedFrame } from "@/lib/wire/frame_decoder.ts";
import { FrameDecoder } from "@/lib/wire/frame_decoder.ts";
import { httpTool } from "./support/agent_bodies.ts";
import { briskSystem } from "./support/brisk_system.ts";
import { catalogueEntry } from "./support/chat.ts";
import { CuttingProxy } from "./support/cutting_proxy.ts";
import { seeded } from "./support/flaky_kv.ts";
import { MockVendors } from "./support/mock_vendors/mock_vendors.ts";
import type { Say } from "./support/mock_vendors/script.ts";
import { readFrames, textOf } from "./support/frames.ts";
import { TestService } from "./support/service.ts";
import { byKey, say } from "./support/widget_calls.ts";

const CUTS = 200;
/** An answer's head is 500 bytes or so, a frame of text 150, the largest 1,000: no cut is before progress for ever. */
const MOST_BYTES = 3_000;
const WORDS = 50;

/** Gates in a row: each is passed when the test opens it, in order. */
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

/** A service whose model says a word for each gate, calls a tool that takes a gate, and goes on. */
async function start(mock: MockVendors, options: { kv: Deno.Kv }) {
  const gates = new Gates();
  const words = (name: string): Say[] =>
    Array.from({ length: WORDS }, (_, n): Say[] => [
      { wait: gates.next() },
      { text: `${name} ${n} „größer“ 👩‍🚀\n\n` },
    ]).flat();
  const first = words("before");
  const toolGate = gates.next();
  const second = words("after");
  const args = ['{"q":"x"}'];
  mock.next({ say: [...first, { calls: [{ id: "c1", name: "lookup", args }] }] }, { say: second });
  const tool = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen: () => {} },
    async () => {
      await toolGate;
      return Response.json({ found: "ü".repeat(200) });
    },
  );
  const host = `127.0.0.1:${tool.addr.port}`;
  const env = { EGRESS_ALLOW: host, VENDOR_A_BASE_URL: mock.url, VENDOR_A_API_KEY: "sk-test" };
  const service = await TestService.start({ env, system: briskSystem, keepKv: true, ...options });
  await service.service.catalogue.addMissing([catalogueEntry()]);
  const key = await service.key();
  const agent = await service.agent(key, {
    modelPolicy: { provider: "vendor_a", model: "mid" },
    tools: [httpTool({ request: { method: "GET", url: `http://${host}/` } })],
    allowedDomains: [host],
    budget: { maxCostUsd: 1, maxSteps: 4, wallClockMs: 120_000 },
  });
  return { service, key, agent, gates, closeTool: () => tool.shutdown() };
}

/** Follows a run until `done`, whatever happens to its connections. */
class CutClient {
  readonly frames: DecodedFrame[] = [];

  get done(): boolean {
    return this.frames.at(-1)?.type === "done";
  }

  get text(): string {
    return this.frames.map(({ data }) => (data.type === "delta" ? data.text : "")).join("");
  }

  /** One connection, until it ends or is cut; answers whether there was nothing left to tell. */
  async connect(url: string, { key, onChunk }: { key: string; onChunk: () => void }) {
    const decoder = new FrameDecoder();
    const last = this.frames.at(-1)?.id ?? "";
    const headers = { authorization: `Bearer ${key}`, "last-event-id": last };
    try {
      const response = await fetch(url, { headers });
      if (response.status === 204) return true;
      assertEquals(response.status, 200);
      for await (const chunk of response.body!) {
        this.frames.push(...decoder.push(chunk));
        onChunk();
      }
    } catch (error) {
      // A connection that was cut; all else is not expected.
      if (!(error instanceof TypeError)) throw error;
    }
    return false;
  }
}

/** Cuts clients of one run at 200 places; whenever one is at the end, the next begins. */
async function cutAndCompare(seed: number, { processes }: { processes: 1 | 2 }) {
  const random = seeded(seed);
  using kv = await Deno.openKv(":memory:");
  await using mock = await MockVendors.start();
  const { service, key, agent, gates, closeTool } = await start(mock, { kv });
  await using owner = service;
  await using other = await TestService.start({ kv, keepKv: true, system: briskSystem });
  const ports = [owner, other].slice(0, processes).map(({ url }) => Number(new URL(url).port));
  await using proxy = new CuttingProxy(() => ({
    port: ports[Math.floor(random() * ports.length)]!,
    bytes: 1 + Math.floor(random() * MOST_BYTES),
  }));
  gates.open();
  const body = { agentId: agent.id, messages: [say("Say all of it")] };
  const uncut = await byKey(owner, { key, body });
  const url = `${proxy.url}/v1/chat/runs/${uncut.headers.get("x-run-id")}/stream`;
  const whole = readFrames(uncut);
  const clients = [new CutClient()];
  let nothingLeft = 0;
  while (proxy.cuts < CUTS || !clients.at(-1)!.done) {
    gates.open();
    const client = clients.at(-1)!;
    if (await client.connect(url, { key, onChunk: () => gates.open() })) nothingLeft++;
    // One that has all asks once more now and then, as a client does that was cut after `done`.
    if (client.done && random() < 0.5) clients.push(new CutClient());
  }
  const frames = await whole;
  const told = frames.map(({ id, frame }) => ({ id, type: frame.type, data: frame }));
  for (const client of clients) assertEquals(client.frames, told);
  assertEquals(clients[0]!.text, textOf(frames));
  assertEquals(textOf(frames).match(/👩‍🚀/g)?.length, 2 * WORDS);
  assert(frames.some(({ frame }) => frame.type === "tool_result"));
  assert(nothingLeft > 0);
  await closeTool();
}

Deno.test("a client cut at 200 places has what an uncut one has", async () => {
  await cutAndCompare(1, { processes: 1 });
});

Deno.test("a client cut at 200 places, coming back to any process, has what an uncut one has", async () => {
  await cutAndCompare(2, { processes: 2 });
});
