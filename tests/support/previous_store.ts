/**
 * A store written by the release before the current value encoding, on Deno 2.9. Created once, by that
 * release: `deno run -A tests/support/previous_store.ts tests/fixtures/previous_store` in its folder.
 */
import { DatabaseSync } from "node:sqlite";
import { gunzipSync, gzipSync } from "node:zlib";
import { httpTool } from "./agent_bodies.ts";
import { expectJson } from "./expect_response.ts";
import { instantRuntime } from "./instant_runtime.ts";
import { readFrames } from "./frames.ts";
import { agentBody, TestService } from "./service.ts";
import { byKey, embed, onPage, say } from "./widget_calls.ts";

const SCOPES = ["agents:write", "billing:read", "conversations:write", "knowledge:write"] as const;

/** How to read a seeded store: its key, and paths whose responses show its content. */
export interface Furnished {
  key: string;
  agentId: string;
  conversationId: string;
  tenant: string;
  paths: string[];
}

/** The tool secret of a seeded store. */
export const SECRET = { name: "CRM", value: "a secret value", domains: ["a.example"] };
/** A request with an idempotency key, which may be repeated. */
export const CREATION = {
  headers: { "idempotency-key": "create-once-1" },
  json: { ...agentBody(), name: "Once" },
};

/** A fixed base URL, because the demo agent stores the service's address. */
export const ENV = { PUBLIC_URL: "https://chat.example.com" };

/** Creates one of most resources. */
async function furnish(service: TestService): Promise<Furnished> {
  const key = await service.key([...SCOPES]);
  const send = async (path: string, json: unknown, headers = {}) =>
    await expectJson(await service.fetch(path, { method: "POST", key, json, headers }), 201);
  const tenant = await service.tenant();
  await service.service.secrets.set(tenant, SECRET);
  const { agent, sessionToken } = await embed(service, {
    budget: { maxCostUsd: 0.35, maxSteps: 4, wallClockMs: 30_000 },
  });
  await readFrames(await onPage(service, { agent, sessionToken }));
  const request = {
    method: "POST",
    url: "https://a.example/",
    body: { q: "Größe 漢 ".repeat(9_000) },
  };
  const large = await service.agent(key, {
    tools: [httpTool({ request })],
    allowedDomains: ["a.example"],
  });
  await send("/v1/agents", CREATION.json, CREATION.headers);
  const base = await send("/v1/knowledge-bases", { name: "Shop" });
  const text = "# Returns\n\nYou may return it within 30 days.";
  const documents = `/v1/knowledge-bases/${base.id}/documents`;
  await send(documents, { title: "Terms", content: text });
  await service.service.documents.whenIdle();
  const body = { agentId: agent.id, messages: [say("Where is my parcel?")] };
  const frames = await readFrames(await byKey(service, { key, body }));
  const first = frames[0]!.frame;
  if (first.type !== "start") throw new Error("the run did not start");
  const { conversationId } = first;
  const paths = [
    ...[agent.id, large.id].flatMap((id) => [`/v1/agents/${id}`, `/v1/agents/${id}/versions`]),
    ...["/v1/agents", "/v1/usage", "/v1/conversations", "/v1/knowledge-bases", documents],
    ...[`/v1/conversations/${conversationId}`, `/v1/chat/runs/${first.runId}/stream?after=0`],
  ];
  return { key, agentId: agent.id, conversationId, tenant, paths };
}

/** The responses at `paths`, as text. */
export async function answersAt(
  service: TestService,
  { key, paths }: Furnished,
): Promise<Record<string, string>> {
  const answers: Record<string, string> = {};
  for (const path of paths) {
    const response = await service.fetch(path, { key });
    answers[path] = `${response.status} ${await response.text()}`;
  }
  return answers;
}

/** Unpacks the store to `file` and returns the responses of the release that wrote it. */
export async function unpackStore(
  file: string,
): Promise<{ at: Furnished; answers: Record<string, string>; now: number }> {
  const folder = new URL("../fixtures/previous_store", import.meta.url).pathname;
  await Deno.writeFile(file, gunzipSync(await Deno.readFile(`${folder}.sqlite3.gz`)));
  const json = gunzipSync(await Deno.readFile(`${folder}.json.gz`));
  return JSON.parse(new TextDecoder().decode(json));
}

/** Removes build data and expiry times, because the fixture is used for years. */
function keepForEver(file: string): void {
  const database = new DatabaseSync(file);
  database.exec("DELETE FROM kv WHERE instr(k, CAST('script_release' AS BLOB))");
  database.exec("UPDATE kv SET expiration_ms = -1");
  database.exec("VACUUM");
  database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  database.exec("PRAGMA journal_mode = DELETE");
  database.close();
}

if (import.meta.main) {
  const [path] = Deno.args;
  const file = await Deno.makeTempFile();
  const { runtime } = instantRuntime();
  const kv = await Deno.openKv(file);
  let read: unknown;
  {
    await using service = await TestService.start({ kv, runtime, env: ENV });
    const at = await furnish(service);
    read = { at, answers: await answersAt(service, at), now: runtime.now() };
  }
  keepForEver(file);
  await Deno.writeFile(`${path}.sqlite3.gz`, gzipSync(await Deno.readFile(file)));
  await Deno.writeFile(`${path}.json.gz`, gzipSync(new TextEncoder().encode(JSON.stringify(read))));
}
