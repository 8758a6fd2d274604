/** A thousand concurrent streams, some with stalled readers: CONTRACT sections 6 and 8. */
import { assert, assertEquals } from "@std/assert";
import type { Ledger } from "@/lib/billing/ledger.ts";
import type { RunLogHead } from "@/lib/store/runs/run_log_head.ts";
import { readStoredUsage } from "./support/stored_usage.ts";
import { catalogueEntry } from "./support/chat.ts";
import { frameTypes } from "./support/frame_types.ts";
import { readFrames, textOf } from "./support/frames.ts";
import { pausableRuntime } from "./support/pausable_runtime.ts";
import { MockProviders } from "./support/mock_providers/mock_providers.ts";
import { TestService } from "./support/service.ts";
import { StalledReader } from "./support/stalled_reader.ts";
import { byKey, say } from "./support/widget_calls.ts";
import { openTestKv } from "./support/open_kv.ts";

/** Streams that are read to their end, one run each. */
const READERS = 950;
/** Readers that stop reading, 10 for each of the long runs. */
const STALLED = 50;
const LONG_RUNS = 5;
/** A long run sends this in each of two steps: more than the 4 MiB that sockets buffer. */
const PIECES = 20;
const PIECE = "Nobody reads this. ".repeat(8_000);
/** Memory per open stream, clients and store included; twice what it takes. */
const MAX_OPEN_BYTES = 512 * 1024;
/** The same at the end, with garbage that nobody has collected yet: only a leak exceeds it. */
const MAX_ENDED_BYTES = 2 * 1024 * 1024;
/** How long a reader may be stalled before it is dropped. */
const STALLED_MS = 60_000;

/** A pausable runtime in which a test decides when stalled readers time out. */
function stallableRuntime() {
  const pausable = pausableRuntime();
  let stalled = Promise.withResolvers<void>();
  const sleep = (ms: number, signal?: AbortSignal): Promise<void> => {
    const slept = pausable.runtime.sleep(ms, signal);
    return ms === STALLED_MS ? Promise.race([stalled.promise, slept]) : slept;
  };
  const dropStalled = () => {
    pausable.advance(STALLED_MS);
    stalled.resolve();
    stalled = Promise.withResolvers();
  };
  return { runtime: { ...pausable.runtime, sleep }, release: pausable.release, dropStalled };
}

/** Resident memory gained since `before`, per stream. */
function perStream(before: number): number {
  return (Deno.memoryUsage().rss - before) / (READERS + STALLED);
}

Deno.test("1,000 streams, 5 % of them stalled: no frame is lost and every slot is released", async () => {
  using kv = await openTestKv();
  await using mock = await MockProviders.start();
  const { runtime, release, dropStalled } = stallableRuntime();
  const limits = {
    ipRequests: 1e6,
    ipMessages: 1e6,
    ipResumes: 1e6,
    keyRequests: 1e6,
    streams: READERS / 2,
  };
  const env = { VENDOR_A_BASE_URL: mock.url, VENDOR_A_API_KEY: "sk-test" };
  await using service = await TestService.start({ runtime, kv, keepKv: true, limits, env });
  const before = Deno.memoryUsage().rss;
  const callers = [await callerOf(service), await callerOf(service)] as const;
  const send = (n: number) => {
    const { key, agentId } = callers[n % 2]!;
    return byKey(service, { key, body: { agentId, messages: [say(`This is number ${n}`)] } });
  };
  const responses = await Promise.all(Array.from({ length: READERS }, (_, n) => send(n)));
  assertEquals(responses.filter(({ status }) => status !== 200), []);
  const long = await openLong(service, mock);
  using _stalled = long.readers;
  assertEquals(service.service.chat.active.length, READERS + LONG_RUNS);
  assertEquals(await leasesOf(kv), READERS + LONG_RUNS);
  await expectStreamLimit(await send(READERS));
  const opened = perStream(before);

  release();
  long.resume();
  await Promise.all(responses.map(checkWhole));
  await service.service.chat.drain(10_000);
  const ended = perStream(before);
  const kib = [opened, ended].map((bytes) => Math.round(bytes / 1024));
  console.log(`KiB per stream, including client and store: ${kib[0]} open, ${kib[1]} at the end`);
  assert(opened < MAX_OPEN_BYTES && ended < MAX_ENDED_BYTES);
  const { live, settled } = await readStoredUsage(kv);
  assertEquals([live, await leasesOf(kv), settled.runs], [[], 0, READERS + LONG_RUNS]);
  for await (const { value } of kv.list<RunLogHead>({ prefix: ["run_heads"] })) {
    assertEquals(value.state, "done");
  }
  dropStalled();
  for (const reader of long.first) await checkDropped(service, reader, long.key);
});

/** A complete stream has each frame once, in order, of its own run. */
async function checkWhole(response: Response, n: number): Promise<void> {
  const frames = await readFrames(response);
  const runId = response.headers.get("x-run-id");
  assertEquals(frames.map(({ id }) => id), frames.map((_, i) => `${runId}.${i + 1}`));
  assertEquals(frameTypes(frames), ["start", "delta", "usage", "done"]);
  assert(textOf(frames).includes(`This is number ${n}”`) && textOf(frames).endsWith("new."));
}

/** Long runs, each with 10 readers that stall at the first frame; `resume` lets the runs continue. */
async function openLong(service: TestService, mock: MockProviders) {
  const free = { inputUsdPerMTok: 0, outputUsdPerMTok: 0 };
  await service.service.catalogue.addMissing([catalogueEntry(free)]);
  const modelPolicy = { provider: "vendor_a", model: "mid" };
  const { key, agentId } = await callerOf(service, { modelPolicy });
  const gate = Promise.withResolvers<void>();
  const pieces = Array.from({ length: PIECES }, () => [{ text: PIECE }, { wait: 31 }]).flat();
  const readers = new DisposableStack();
  const first: StalledReader[] = [];
  for (let run = 0; run < LONG_RUNS; run++) {
    const calls = [{ id: "c1", name: "nothing", args: ["{}"] }];
    mock.next({ say: [pieces[0]!, { wait: gate.promise }, ...pieces.slice(1), { calls }] });
    const json = { agentId, messages: [say("Hello")] };
    const path = "/v1/chat/stream";
    const starter = await StalledReader.open(service.url, { key, method: "POST", path, json });
    first.push(readers.use(starter));
    const runId = starter.frames[0]!.id.split(".")[0]!;
    const again = { key, method: "GET", path: `/v1/chat/runs/${runId}/stream` };
    for (let n = 1; n < STALLED / LONG_RUNS; n++) {
      readers.use(await StalledReader.open(service.url, again));
    }
  }
  mock.next(...Array.from({ length: LONG_RUNS }, () => ({ say: pieces })));
  return { key, first, readers, resume: gate.resolve };
}

/** A dropped reader gets what its sockets buffered and no end; after resuming it has the whole text. */
async function checkDropped(service: TestService, reader: StalledReader, key: string) {
  await reader.rest();
  const last = reader.frames.at(-1)!;
  assert(last.type === "delta", "the stream must end within the text");
  const url = `/v1/chat/runs/${last.id.split(".")[0]}/stream`;
  const headers = { "last-event-id": last.id };
  const rest = await readFrames(await service.fetch(url, { key, headers }));
  const before = reader.frames.map(({ id, data }) => ({ id, frame: data }));
  assertEquals(rest.at(-1)!.frame, { type: "done", finishReason: "stop" });
  assert(textOf([...before, ...rest]) === PIECE.repeat(2 * PIECES));
}

async function expectStreamLimit(response: Response): Promise<void> {
  assertEquals(response.status, 429);
  const { details } = await response.json();
  assertEquals(details, { scope: "tenant_streams", limit: READERS / 2 });
}

/** A caller in its own tenant: one tenant's ledger holds at most 800 runs. */
async function callerOf(service: TestService, change: Record<string, unknown> = {}) {
  const key = await service.key(["agents:write"], crypto.randomUUID());
  return { key, agentId: (await service.agent(key, change)).id };
}

/** Number of stream slots in use by all tenants. */
async function leasesOf(kv: Deno.Kv): Promise<number> {
  const ledgers = await Array.fromAsync(kv.list<Ledger>({ prefix: ["tenant_ledgers"] }));
  return ledgers.reduce((sum, { value }) => sum + Object.keys(value.runs).length, 0);
}
