/** Every call of a tool has a key of its own, and none is made twice, whenever the process dies. */
import { assert, assertEquals, assertFalse } from "@std/assert";
import { seeded } from "./support/flaky_kv.ts";
import { httpTool } from "./support/agent_bodies.ts";
import { instantRuntime } from "./support/instant_runtime.ts";
import { killableKv } from "./support/killable_kv.ts";
import { mcpEndpoint } from "./support/mcp_server.ts";
import { MockProviders, type MockRequest } from "./support/mock_providers/mock_providers.ts";
import type { Script } from "./support/mock_providers/script.ts";
import { openTestKv } from "./support/open_kv.ts";
import { readFrames } from "./support/frames.ts";
import { onlyFrame } from "./support/frame_types.ts";
import { catalogueEntry } from "./support/chat.ts";
import { TestService } from "./support/service.ts";
import { sweepOrphaned } from "./support/sweep_orphaned.ts";
import { openWaitingCalls, refundAt, toolServer } from "./support/waiting_calls.ts";
import { byKey, say } from "./support/widget_calls.ts";

const MOMENTS = 50;
/** Calls of the store before a process dies, at most: about those of a whole run. */
const MAX_STORE_CALLS = 18;

const refundOf = (n: number, id = "c1") => ({ id, name: "refund", args: [`{"q":"order ${n}"}`] });

/** Refunds the order of the question, unless the service says that it may have happened. */
function refundOnce({ body }: MockRequest): Script {
  const [system, ...messages] = body.messages;
  if (messages.at(-1).role === "tool") return { say: [{ text: "Done." }] };
  if (String(system.content).includes("# Tool calls of interrupted answers")) {
    return { say: [{ text: "I do not know whether it happened." }] };
  }
  const n = Number(/order (\d+)/.exec(messages.at(-1).content)![1]);
  return { say: [{ text: "One moment. " }, { calls: [refundOf(n)] }] };
}

Deno.test("kills at 50 seeded moments: no call is made twice, and none with two keys", async () => {
  await using mock = await MockProviders.start({ otherwise: refundOnce });
  let onCall = () => {};
  await using tool = toolServer(() => {
    onCall();
    return Response.json({ done: true });
  });
  const kv = await openTestKv();
  let ahead = 0;
  const now = () => Date.now() + ahead;
  const env = {
    EGRESS_ALLOW: tool.host,
    VENDOR_A_BASE_URL: mock.url,
    VENDOR_A_API_KEY: "sk-test",
  };
  const start = (store: Deno.Kv, storeTimeoutMs = 60_000) =>
    TestService.start({ kv: store, keepKv: true, env, runtime: { now }, storeTimeoutMs });
  await using alive = await start(kv);
  await alive.service.catalogue.addMissing([catalogueEntry()]);
  const key = await alive.key();
  const agent = await alive.agent(key, {
    modelPolicy: { provider: "vendor_a", model: "mid" },
    tools: [refundAt(tool.host)],
    allowedDomains: [tool.host],
  });
  const random = seeded(24);
  const ends = new Map<string, number>();
  const closing: Promise<void>[] = [];
  for (let n = 1; n <= MOMENTS; n++) {
    const conversationId = crypto.randomUUID();
    const ask = (service: TestService) =>
      byKey(service, {
        key,
        body: { agentId: agent.id, conversationId, messages: [say(`Refund order ${n}`)] },
      });
    const store = killableKv(kv);
    const dying = await start(store.kv, 500);
    // Any call of the store, or as soon as the tool's server has the call.
    const isDuringCall = random() < 0.3;
    onCall = isDuringCall ? () => store.killAfter(Math.floor(random() * 2)) : () => {};
    store.killAfter(isDuringCall ? Infinity : Math.floor(random() * MAX_STORE_CALLS));
    const asking = ask(dying).then(async (first) => ({
      runId: first.headers.get("x-run-id") ?? undefined,
      seen: await readAll(first),
    })).catch(() => undefined);
    await Promise.race([asking, untilDead(store)]);
    onCall = () => {};
    store.killAfter(0);
    await dying.crash();
    const { runId, seen = "" } = await asking ?? {};
    await sweepOrphaned(alive.service.orphanedRuns, (ms) => void (ahead += ms));
    // It goes on trying to reach the store for a while.
    closing.push(dying.service.close().catch(() => {}));
    const end = runId === undefined ? "not admitted" : await endOf(alive, { runId, key });
    ends.set(end, (ends.get(end) ?? 0) + 1);
    if (!seen.includes('"type":"done"')) await (await ask(alive)).body?.cancel();
  }
  const keys = Map.groupBy(tool.requests, ({ body }) => body);
  for (const [order, requests] of keys) {
    const sent = requests.map(({ headers }) => headers.get("idempotency-key"));
    assertEquals(sent.length, 1, `${order} was refunded with ${sent}`);
  }
  const kinds = ["called", "not admitted", "not called", "unknown"];
  assertEquals([...ends.keys()].sort(), kinds, "every kind of moment must be among them");
  await Promise.all(closing);
  kv.close();
});

/** Until the process has noticed, and done whatever it does then. */
async function untilDead(store: { isDead: boolean }): Promise<void> {
  while (!store.isDead) await new Promise((resolve) => setTimeout(resolve, 2));
  await new Promise((resolve) => setTimeout(resolve, 10));
}

async function readAll(response: Response): Promise<string> {
  let text = "";
  try {
    for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) text += chunk;
  } catch {
    // Its process died.
  }
  return text;
}

/** How a run ended: each call has its result, whenever the process died. */
async function endOf(
  service: TestService,
  { runId, key }: { runId: string; key: string },
): Promise<string> {
  const answer = await service.fetch(`/v1/chat/runs/${runId}/stream`, { key });
  if (answer.status !== 200) {
    await answer.body?.cancel();
    return "gone";
  }
  const frames = (await readFrames(answer)).map(({ frame }) => frame);
  const calls = frames.filter(({ type }) => type === "tool_call").length;
  const results = frames.filter(({ type }) => type === "tool_result");
  assertEquals(results.length, calls);
  assertEquals(frames.at(-1)!.type, "done");
  const isUnknown = JSON.stringify(results).includes("tool_outcome_unknown");
  return isUnknown ? "unknown" : calls > 0 ? "called" : "not called";
}
