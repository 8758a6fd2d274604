/** A copy of the data folder without `secrets.json` reveals no conversation content. */
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

/** A unique marker for each kind of content in the runs below. */
function markers() {
  const names = [
    ...["question", "answer", "argument", "output", "redirect", "history", "long", "failure"],
    ...["typed", "visitor", "draft", "unfinished", "half", "comment"],
  ] as const;
  return Object.fromEntries(names.map((name) => [name, marker()])) as Record<
    typeof names[number],
    string
  >;
}

/** A provider whose answer depends on the message. */
function providerFor(content: ReturnType<typeof markers>, hold: Promise<unknown>) {
  return ({ body }: MockRequest): Script => {
    const last = body.messages.at(-1);
    const text = JSON.stringify(last.content ?? "");
    if (last.role === "tool") return { say: [{ text: `It says 秘密 ${content.answer}` }] };
    if (text.includes(content.failure)) {
      return { status: 500, body: `cannot do ${content.failure}` };
    }
    if (text.includes(content.unfinished)) {
      // Longer than the log's tail, so that chunks are stored too.
      const words = `${content.half} ${"word ".repeat(2_400)}`;
      return { say: [{ text: words }, { wait: 1 }, { text: words }, { wait: hold }] };
    }
    if (text.includes(content.question)) {
      const calls = ["/items", "/away"].map((path, n) => ({
        id: `c${n}`,
        name: path === "/items" ? "lookup" : "follow",
        args: [JSON.stringify({ q: content.argument })],
      }));
      return { say: [{ text: "one moment " }, { calls }] };
    }
    return { say: [{ text: `Yes: ${content.answer} ${"ä".repeat(20)}` }] };
  };
}

/** A tool's server: one path answers, the other redirects. */
function toolServer(content: ReturnType<typeof markers>) {
  return Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: () => {} }, (request) => {
    if (new URL(request.url).pathname === "/items") {
      return Response.json({ found: content.output, more: "größer 世界" });
    }
    return new Response(null, {
      status: 302,
      headers: { location: `https://${content.redirect}.example/` },
    });
  });
}

Deno.test("the store's files contain no conversation content, neither during a run nor after it", async () => {
  const dir = await Deno.makeTempDir();
  const content = markers();
  const hold = Promise.withResolvers<void>();
  await using mock = await MockProviders.start({ otherwise: providerFor(content, hold.promise) });
  await using server = toolServer(content);
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
  const send = async (messages: unknown[], headers: HeadersInit = {}) => {
    return await byKey(service, { key, body: { agentId: agent.id, messages }, headers });
  };
  await readFrames(await send([say(`Tell me: ${content.question}`)]));
  const typed = await send([say(content.typed)], { "idempotency-key": "order-1" });
  await readFrames(typed);
  const rated = await service.fetch(`/v1/chat/runs/${typed.headers.get("x-run-id")}/feedback`, {
    ...{ method: "PUT", key, json: { rating: "down", comment: content.comment } },
  });
  assertEquals(rated.status, 204);
  await readFrames(await send([say("Hi"), answered(content.history), say("And 世界 now?")]));
  await readFrames(await send([say(`${content.long} `.repeat(600)), say("x".repeat(15_000))]));
  const manyMessages = Array.from(
    { length: 12 },
    (_, n) => say(`${n} ${content.long} `.repeat(400)),
  );
  await readFrames(await send([...manyMessages, say("So?")]));
  await (await send([say(`Do ${content.failure}`)])).body?.cancel();
  await readFrames(
    await onPage(service, {
      agent: demo,
      sessionToken,
      body: { messages: [say(content.visitor)] },
    }),
  );
  const cookie = await ownerCookie(service);
  const json = { messages: [say(content.draft)] };
  const headers = { cookie };
  const tried = await service.fetch(`/agents/${demo.id}/try`, { method: "POST", json, headers });
  assertEquals(tried.status, 200);
  await readFrames(tried);

  const unfinished = await send([say(`Begin ${content.unfinished} ${"y".repeat(6_000)}`)]);
  const runId = unfinished.headers.get("x-run-id")!;
  const tenant = await service.tenant();
  // Wait until a chunk of the log is stored.
  while (!(await storedText(kv)).includes(JSON.stringify(["run_chunks", tenant, runId, 0]))) {
    await new Promise((wake) => setImmediate(wake));
  }
  const allMarkers: Record<string, string> = content;
  const during = await stolenBytes(dir);
  assertEquals(markersIn(during, allMarkers), []);
  const stored = new TextEncoder().encode(await storedText(kv));
  const found = markersIn(stored, allMarkers);
  // With the key, all of it can be read: what the files hide is encrypted, not missing.
  assertEquals(Object.keys(content).filter((name) => !found.includes(name)), []);
  const stolen = await storedText(kv, { content: undefined });
  assertEquals(markersIn(new TextEncoder().encode(stolen), allMarkers), []);
  // Digests are keyed, so a guess cannot be verified either.
  const body = { agentId: agent.id, messages: [say(content.typed)] };
  const guesses = [
    await requestFingerprint(body),
    (await sha256(`user ${content.typed}`)).slice(0, 11),
  ];
  for (const guess of guesses) assertFalse(stolen.includes(guess));
  assert(stolen.includes("chat_receipts") && stolen.includes("digests"));

  await unfinished.body?.cancel();
  hold.resolve();
  await service[Symbol.asyncDispose]();
  const after = await stolenBytes(dir);
  assertEquals(markersIn(after, allMarkers), []);
  // The search does find plaintext: configuration is not encrypted.
  assert(markersIn(after, { prompt }).length === 1 && markersIn(during, { prompt }).length === 1);
  await Deno.remove(dir, { recursive: true });
});
