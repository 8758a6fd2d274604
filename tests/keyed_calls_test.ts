/** Every call of a tool has a key of its own, and none is made twice, whenever the process dies. */
// deno-lint-ignore-file no-explicit-any -- a test looks into stored records
import { assert, assertEquals, assertFalse } from "@std/assert";
import { seeded } from "./support/flaky_kv.ts";
import { instantRuntime } from "./support/instant_runtime.ts";
import { ManualClock } from "./support/manual_clock.ts";
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
import { openWaitingCalls, refundAt, toolServer, until } from "./support/waiting_calls.ts";
import { byKey, say } from "./support/widget_calls.ts";

const MOMENTS = 50;
/** On a busy machine a kind of moment may take more of them. */
const MAX_MOMENTS = 250;
const KINDS = ["called", "not admitted", "not called", "unknown"];
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

Deno.test("kills at 50 or more seeded moments: no call is made twice, and none with two keys", async () => {
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
  const isDone = (n: number) => n > MOMENTS && (ends.size === KINDS.length || n > MAX_MOMENTS);
  for (let n = 1; !isDone(n); n++) {
    const conversationId = crypto.randomUUID();
    const ask = (service: TestService, attempt: string) =>
      byKey(service, {
        key,
        headers: { "idempotency-key": `order-${n}-${attempt}` },
        body: { agentId: agent.id, conversationId, messages: [say(`Refund order ${n}`)] },
      });
    const store = killableKv(kv);
    const dying = await start(store.kv, 500);
    // Any call of the store, or as soon as the tool's server has the call.
    const isDuringCall = random() < 0.3;
    onCall = isDuringCall ? () => store.killAfter(Math.floor(random() * 2)) : () => {};
    store.killAfter(isDuringCall ? Infinity : Math.floor(random() * MAX_STORE_CALLS));
    const asking = ask(dying, "first").then(async (answer) => {
      await readAll(answer);
      return answer.headers.get("x-run-id") ?? undefined;
    }).catch(() => undefined);
    await Promise.race([asking, untilDead(store)]);
    onCall = () => {};
    store.killAfter(0);
    await dying.crash();
    const runId = await asking;
    await sweepOrphaned(alive.service.orphanedRuns, (ms) => void (ahead += ms));
    // It goes on trying to reach the store for a while.
    closing.push(dying.service.close().catch(() => {}));
    // The client resumes, or sends the message that it has no answer to again.
    const rest = runId === undefined
      ? await ask(alive, "first")
      : await alive.fetch(`/v1/chat/runs/${runId}/stream`, { key });
    const { end, isInterrupted } = await endOf(rest);
    const kind = runId === undefined ? "not admitted" : end;
    ends.set(kind, (ends.get(kind) ?? 0) + 1);
    if (isInterrupted) await readAll(await ask(alive, "second"));
  }
  const keys = Map.groupBy(tool.requests, ({ body }) => body);
  for (const [order, requests] of keys) {
    const sent = requests.map(({ headers }) => headers.get("idempotency-key"));
    assertEquals(sent.length, 1, `${order} was refunded with ${sent}`);
  }
  assertEquals([...ends.keys()].sort(), KINDS, "every kind of moment must be among them");
  await Promise.all(closing);
  kv.close();
});

/** Until the process has noticed, and done what it does then. */
async function untilDead(store: { isDead: boolean }): Promise<void> {
  await until(() => store.isDead || undefined);
  let turns = 0;
  await until(() => ++turns > 300 || undefined);
}

async function readAll(response: Response): Promise<void> {
  try {
    await response.text();
  } catch {
    // Its process died.
  }
}

/** How a run ended: each call has its result, whenever the process died. */
async function endOf(answer: Response): Promise<{ end: string; isInterrupted: boolean }> {
  assertEquals(answer.status, 200);
  const frames = (await readFrames(answer)).map(({ frame }) => frame);
  const calls = frames.filter(({ type }) => type === "tool_call").length;
  const results = frames.filter(({ type }) => type === "tool_result");
  assertEquals(results.length, calls);
  assertEquals(frames.at(-1)!.type, "done");
  const isInterrupted = frames.some((one) => one.type === "error");
  const isUnknown = JSON.stringify(results).includes("tool_outcome_unknown");
  return { end: isUnknown ? "unknown" : calls > 0 ? "called" : "not called", isInterrupted };
}

Deno.test("HTTP tools: each call has the key of its frame, and its run's id", async () => {
  await using fixture = await openWaitingCalls((host) => [refundAt(host)]);
  const { server, service } = fixture;
  const keysOf = async () => {
    const frames = await readFrames(await fixture.ask("refund"));
    return frames.find(({ frame }) => frame.type === "tool_call")!.id;
  };
  const ids = [await keysOf(), await keysOf()];
  assertEquals(server.requests.map(({ headers }) => headers.get("idempotency-key")), ids as never);
  const runs = ids.map((id) => id!.split(".")[0]!);
  assertEquals(server.requests.map(({ headers }) => headers.get("x-run-id")), runs);
  assertFalse(ids[0] === ids[1]);
  assertEquals(service.logged.filter((line) => line.includes('"level":"error"')), []);
});

Deno.test("HTTP tools: a stored header of that name stays, and another host gets no key", async () => {
  await using away = toolServer();
  await using fixture = await openWaitingCalls(
    (host) => [refundAt(host), refundAt(host, { name: "leaves" })],
    { answer: () => Response.redirect(`http://${away.host}/elsewhere`, 307) },
  );
  const { server, service, agent, kv } = fixture;
  // As a release stored it that did not know the header.
  const tenant = await service.tenant();
  const { key, value } = await kv.get<any>(["agents", tenant, agent.id]);
  const stored = structuredClone(value);
  const body = stored.tools === undefined ? stored.body : stored;
  body.tools[0].request.headers = { "Idempotency-Key": "mine-{{q}}" };
  body.allowedDomains.push(away.host);
  await kv.set(key, stored);
  for (const name of ["refund", "leaves"]) await (await fixture.ask(name)).text();
  const [own, keyed] = server.requests.map(({ headers }) => headers.get("idempotency-key"));
  assertEquals([own, keyed!.split(".").length], ["mine-A-1042", 2]);
  for (const { headers } of away.requests) {
    assertEquals([headers.get("idempotency-key"), headers.get("x-run-id")], [null, null]);
  }
});

Deno.test("HTTP tools: only an idempotent call is repeated when its server has seen it, with the same key", async () => {
  const clock = new ManualClock();
  const answers = [503, 429, 200].map((status) => () => new Response("{}", { status }));
  const left: (() => Response)[] = [];
  await using fixture = await openWaitingCalls(
    (host) => [refundAt(host), refundAt(host, { name: "again", idempotent: true })],
    { runtime: clock.runtime, answer: () => left.shift()!() },
  );
  const { server } = fixture;
  const ask = async (name: string, given: (() => Response)[]) => {
    left.splice(0, left.length, ...given);
    const before = server.requests.length;
    const frames = await readFrames(await fixture.ask(name));
    const { output } = onlyFrame(frames, "tool_result");
    const keys = server.requests.slice(before).map(({ headers }) => headers.get("idempotency-key"));
    assertEquals(new Set(keys).size, 1);
    return [keys.length, (output as { status?: number }).status ?? "failed"];
  };
  const [busy, limited, fine] = answers;
  assertEquals(await ask("refund", [busy!, fine!]), [1, "failed"]);
  assertEquals(await ask("again", [busy!, busy!, fine!]), [3, 200]);
  assertEquals(await ask("again", [busy!, busy!, busy!]), [3, "failed"]);
  assertEquals(await ask("again", [limited!]), [1, "failed"]);
  const soon = new Response("", { status: 503, headers: { "retry-after": "2" } });
  const patient = ask("again", [() => soon, fine!]);
  await clock.asleepUntil(2_000);
  await clock.advance(2_000);
  assertEquals(await patient, [2, 200]);
  const later = (seconds: string) => () =>
    new Response("", { status: 503, headers: { "retry-after": seconds } });
  assertEquals(await ask("again", [later("3600")]), [1, "failed"]);
});

Deno.test("HTTP tools: a call that never reached its server is made again, whatever the tool", async () => {
  await using gone = toolServer();
  const { host } = gone;
  await gone[Symbol.asyncDispose]();
  const kv = await openTestKv();
  await using service = await TestService.start({
    ...{ runtime: new ManualClock().runtime, kv, env: { EGRESS_ALLOW: host } },
  });
  const key = await service.key();
  const agent = await service.agent(key, { tools: [refundAt(host)], allowedDomains: [host] });
  const toolset = service.service.chat.openTools({ tenant: await service.tenant(), agent });
  const { signal } = new AbortController();
  const output = await toolset.execute("refund", { q: "x" }, { signal, id: "r.2", runId: "r" });
  assert(JSON.stringify(output).includes("tool_unreachable"));
  assertEquals(toolset.egressCalls.map(({ hop }) => hop), [0, 0, 0]);
  await toolset.close();
});

Deno.test("MCP tools: the key is in the call's metadata", async () => {
  const seen: string[] = [];
  const answer = mcpEndpoint({
    session: true,
    tools: (mcp) =>
      mcp.registerTool("hours", {}, () => ({ content: [{ type: "text", text: "9" }] })),
  });
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: () => {} }, async (got) => {
    const { method, url, headers } = got;
    const body = await got.text();
    seen.push(body);
    return await answer({ method, url, headers, body });
  });
  const host = `127.0.0.1:${(server.addr as Deno.NetAddr).port}`;
  await using service = await TestService.start({
    ...{ ...instantRuntime(), env: { EGRESS_ALLOW: host } },
  });
  const key = await service.key();
  const tools = [{ type: "mcp", name: "shop", url: `http://${host}/mcp` }];
  const agent = await service.agent(key, { tools, allowedDomains: [host] });
  const body = { agentId: agent.id, messages: [say("use hours with {}")] };
  const frames = await readFrames(await byKey(service, { key, body }));
  const { id } = frames.find(({ frame }) => frame.type === "tool_call")!;
  const call = JSON.parse(seen.find((text) => text.includes("tools/call"))!);
  assertEquals(call.params._meta["agent-chat-service/idempotency-key"], id);
  assertEquals(onlyFrame(frames, "tool_result").output, { content: "9" });
  await server.shutdown();
});

Deno.test("HTTP tools: a call of an agent with guardrails has its key too", async () => {
  const guardrails = { output: { personalData: { kinds: ["email"], action: "mask" } } };
  await using fixture = await openWaitingCalls((host) => [refundAt(host)], {
    agent: { guardrails },
  });
  const frames = await readFrames(await fixture.ask("refund"));
  const { id } = frames.find(({ frame }) => frame.type === "tool_call")!;
  const { requests } = fixture.server;
  assertEquals(requests.map(({ headers }) => headers.get("idempotency-key")), [id!]);
});
