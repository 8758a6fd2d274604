/** What somebody learns who has copied the data folder without `secrets.json`. */
import { assert, assertEquals, assertFalse } from "@std/assert";
import { setImmediate } from "node:timers";
import { sha256 } from "@/lib/platform/crypto/signer.ts";
import { requestFingerprint } from "@/lib/http/idempotency_key.ts";
import { httpTool } from "./support/agent_bodies.ts";
import { catalogueEntry } from "./support/chat.ts";
import { readFrames } from "./support/frames.ts";
import type { MockRequest } from "./support/mock_providers/mock_providers.ts";
import { MockProviders } from "./support/mock_providers/mock_providers.ts";
import type { Script } from "./support/mock_providers/script.ts";
import { ownerCookie } from "./support/owner.ts";
import { TestService } from "./support/service.ts";
import { marker, markersIn, stolenBytes } from "./support/stolen_store.ts";
import { storedText } from "./support/store.ts";
import { answered, byKey, embed, onPage, say } from "./support/widget_calls.ts";
import { openTestKv } from "./support/open_kv.ts";

const SCOPES = ["agents:write", "widget:mint", "conversations:write"] as const;

/** What is said in the runs below, each thing under a marker of its own. */
function markers() {
  const names = [
    ...["question", "answer", "argument", "output", "redirect", "history", "long", "failure"],
    ...["typed", "visitor", "draft", "unfinished", "half"],
  ] as const;
  return Object.fromEntries(names.map((name) => [name, marker()])) as Record<
    typeof names[number],
    string
  >;
}

/** A vendor that answers by what it is asked. */
function vendorOf(said: ReturnType<typeof markers>, hold: Promise<unknown>) {
  return ({ body }: MockRequest): Script => {
    const last = body.messages.at(-1);
    const text = JSON.stringify(last.content ?? "");
    if (last.role === "tool") return { say: [{ text: `It says 秘密 ${said.answer}` }] };
    if (text.includes(said.failure)) return { status: 500, body: `cannot do ${said.failure}` };
    if (text.includes(said.unfinished)) {
      // More than the tail holds, so that there are chunks of the log as well.
      const words = `${said.half} ${"word ".repeat(2_400)}`;
      return { say: [{ text: words }, { wait: 1 }, { text: words }, { wait: hold }] };
    }
    if (text.includes(said.question)) {
      const calls = ["/items", "/away"].map((path, n) => ({
        id: `c${n}`,
        name: path === "/items" ? "lookup" : "follow",
        args: [JSON.stringify({ q: said.argument })],
      }));
      return { say: [{ text: "one moment " }, { calls }] };
    }
    return { say: [{ text: `Yes: ${said.answer} ${"ä".repeat(20)}` }] };
  };
}

/** A tool's server: one address answers, the other leads away. */
function toolServer(said: ReturnType<typeof markers>) {
  return Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: () => {} }, (request) => {
    if (new URL(request.url).pathname === "/items") {
      return Response.json({ found: said.output, more: "größer 世界" });
    }
    return new Response(null, {
      status: 302,
      headers: { location: `https://${said.redirect}.example/` },
    });
  });
}

Deno.test("the store's files say nothing of what was said, neither while a run goes on nor after", async () => {
  const dir = await Deno.makeTempDir();
  const said = markers();
  const hold = Promise.withResolvers<void>();
  await using mock = await MockProviders.start({ otherwise: vendorOf(said, hold.promise) });
  await using server = toolServer(said);
  const host = `127.0.0.1:${server.addr.port}`;
  const kv = await openTestKv(`${dir}/kv.sqlite3`);
  const env = { VENDOR_A_BASE_URL: mock.url, VENDOR_A_API_KEY: "k", EGRESS_ALLOW: host };
  const service = await TestService.start({ kv, env });
  await service.service.catalogue.addMissing([catalogueEntry()]);
  const { sessionToken, agent: demo } = await embed(service);
  const key = await service.key([...SCOPES]);
  const prompt = marker();
  const agent = await service.agent(key, {
    systemPrompt: `You are ${prompt}.`,
    modelPolicy: { provider: "vendor_a", model: "mid" },
    tools: ["/items", "/away"].map((path) =>
      httpTool({
        name: path === "/items" ? "lookup" : "follow",
        request: { method: "GET", url: `http://${host}${path}`, query: { q: "{{q}}" } },
      })
    ),
    allowedDomains: [host],
  });
  const ask = async (messages: unknown[], headers: HeadersInit = {}) => {
    return await byKey(service, { key, body: { agentId: agent.id, messages }, headers });
  };
  await readFrames(await ask([say(`Tell me: ${said.question}`)]));
  await readFrames(await ask([say(said.typed)], { "idempotency-key": "order-1" }));
  await readFrames(await ask([say("Hi"), answered(said.history), say("And 世界 now?")]));
  await readFrames(await ask([say(`${said.long} `.repeat(600)), say("x".repeat(15_000))]));
  const much = Array.from({ length: 12 }, (_, n) => say(`${n} ${said.long} `.repeat(400)));
  await readFrames(await ask([...much, say("So?")]));
  await (await ask([say(`Do ${said.failure}`)])).body?.cancel();
  await readFrames(
    await onPage(service, { agent: demo, sessionToken, body: { messages: [say(said.visitor)] } }),
  );
  const cookie = await ownerCookie(service);
  const json = { messages: [say(said.draft)] };
  const headers = { cookie };
  const tried = await service.fetch(`/agents/${demo.id}/try`, { method: "POST", json, headers });
  assertEquals(tried.status, 200);
  await readFrames(tried);

  const unfinished = await ask([say(`Begin ${said.unfinished} ${"y".repeat(6_000)}`)]);
  const runId = unfinished.headers.get("x-run-id")!;
  const tenant = await service.tenant();
  // Until a chunk of its log is stored.
  while (!(await storedText(kv)).includes(JSON.stringify(["run_chunks", tenant, runId, 0]))) {
    await new Promise((wake) => setImmediate(wake));
  }
  const everything: Record<string, string> = said;
  const during = await stolenBytes(dir);
  assertEquals(markersIn(during, everything), []);
  const stored = new TextEncoder().encode(await storedText(kv));
  const found = markersIn(stored, everything);
  // All of it is there for whoever has the key: what is not found is encrypted, not missing.
  assertEquals(Object.keys(said).filter((name) => !found.includes(name)), []);
  const stolen = await storedText(kv, { content: undefined });
  assertEquals(markersIn(new TextEncoder().encode(stolen), everything), []);
  // Nor can a guess be checked: digests are keyed.
  const body = { agentId: agent.id, messages: [say(said.typed)] };
  const guesses = [
    await requestFingerprint(body),
    (await sha256(`user ${said.typed}`)).slice(0, 11),
  ];
  for (const guess of guesses) assertFalse(stolen.includes(guess));
  assert(stolen.includes("chat_receipts") && stolen.includes("digests"));

  await unfinished.body?.cancel();
  hold.resolve();
  await service[Symbol.asyncDispose]();
  const after = await stolenBytes(dir);
  assertEquals(markersIn(after, everything), []);
  // What is searched for is found where it is plain: configuration is.
  assert(markersIn(after, { prompt }).length === 1 && markersIn(during, { prompt }).length === 1);
  await Deno.remove(dir, { recursive: true });
});
