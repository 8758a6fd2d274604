/** A thousand streams at once, some of whose readers take nothing: CONTRACT sections 6 and 8. */
import { assert, assertEquals } from "@std/assert";
import type { Ledger } from "@/lib/limits/ledger.ts";
import type { RunHead } from "@/lib/storage/run_head.ts";
import { accounts } from "./support/accounts.ts";
import { order } from "./support/frame_words.ts";
import { readFrames, textOf } from "./support/frames.ts";
import { heldSystem } from "./support/held_system.ts";
import { TestService } from "./support/service.ts";
import { byKey, say } from "./support/widget_calls.ts";

const STREAMS = 1_000;
/** Every twentieth reader takes nothing. */
const STALLED = 20;
/** Of service and client together; ten times what it takes, so that only a leak is told. */
const MOST_BYTES = 1024 * 1024;

const isStalled = (n: number) => n % STALLED === 0;

Deno.test("1,000 streams, 5 % of them stalled: no frame is lost, every slot comes free", async () => {
  using kv = await Deno.openKv(":memory:");
  const held = heldSystem();
  const limits = { ipRequests: 1e6, ipMessages: 1e6, keyRequests: 1e6, streams: STREAMS / 2 };
  await using service = await TestService.start({ system: held.system, kv, keepKv: true, limits });
  const callers = [await callerOf(service), await callerOf(service)] as const;
  const send = (n: number) => {
    const { key, agentId } = callers[n % 2]!;
    return byKey(service, { key, body: { agentId, messages: [say(`This is number ${n}`)] } });
  };
  const before = Deno.memoryUsage().rss;
  const responses = await Promise.all(Array.from({ length: STREAMS }, (_, n) => send(n)));
  assertEquals(responses.filter(({ status }) => status !== 200), []);
  assertEquals(service.service.chat.active.length, STREAMS);
  assertEquals(await leasesOf(kv), STREAMS);
  await refuseOneMore(await send(STREAMS));
  const perStream = (Deno.memoryUsage().rss - before) / STREAMS;
  console.log(`${Math.round(perStream / 1024)} KiB a stream, its client and store included`);
  assert(perStream < MOST_BYTES);

  held.release();
  const reading = responses.map(async (response, n) => {
    if (isStalled(n)) return;
    const frames = await readFrames(response);
    const runId = response.headers.get("x-run-id");
    assertEquals(frames.map(({ id }) => id), frames.map((_, i) => `${runId}.${i + 1}`));
    assertEquals(order(frames), ["start", "delta", "usage", "done"]);
    assert(textOf(frames).includes(`This is number ${n}”`) && textOf(frames).endsWith("new."));
  });
  await Promise.all(reading);
  await service.service.chat.drain(10_000);
  const { live, settled } = await accounts(kv);
  assertEquals([live, await leasesOf(kv), settled.runs], [[], 0, STREAMS]);
  for await (const { value } of kv.list<RunHead>({ prefix: ["run_heads"] })) {
    assertEquals(value.state, "done");
  }
  await Promise.all(responses.filter((_, n) => isStalled(n)).map(({ body }) => body?.cancel()));
});

async function refuseOneMore(response: Response): Promise<void> {
  assertEquals(response.status, 429);
  const { details } = await response.json();
  assertEquals(details, { scope: "tenant_streams", limit: STREAMS / 2 });
}

/** A tenant of its own: the ledger of one has room for 800 runs. */
async function callerOf(service: TestService) {
  const key = await service.key(["agents:write"], crypto.randomUUID());
  return { key, agentId: (await service.agent(key)).id };
}

/** Stream slots that are taken, of all tenants. */
async function leasesOf(kv: Deno.Kv): Promise<number> {
  const ledgers = await Array.fromAsync(kv.list<Ledger>({ prefix: ["tenant_ledgers"] }));
  return ledgers.reduce((sum, { value }) => sum + Object.keys(value.runs).length, 0);
}
