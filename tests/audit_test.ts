/** Every change is in the audit log with its actor, through the API and the command line. */
import { assert, assertEquals } from "@std/assert";
import { adminCommands } from "@/lib/server/commands/admin_commands.ts";
import type { AuditEntry } from "@/lib/store/audit/audit_entry.ts";
import { storedText } from "./support/store.ts";
import { agentBody, TestService } from "./support/service.ts";
import { openTestKv } from "./support/open_kv.ts";

async function entries(service: TestService): Promise<AuditEntry[]> {
  const { data } = await service.service.audit.list(await service.tenant(), { limit: 100 });
  return data.toReversed();
}

Deno.test("/v1/agents: a change is in the audit log with the API key and the values before and after", async () => {
  let now = Date.UTC(2026, 0, 15);
  const runtime = { now: () => now++ };
  await using service = await TestService.start({ runtime, env: { DEMO: "off" } });
  const key = await service.key(["agents:write"]);
  const [apiKey] = await service.service.apiKeys.list(await service.tenant());
  const headers = { "idempotency-key": "audit-once" };
  const create = { method: "POST", key, json: agentBody(), headers };
  const { id } = await (await service.fetch("/v1/agents", create)).json();
  await (await service.fetch("/v1/agents", create)).body?.cancel();
  const path = `/v1/agents/${id}`;
  const patch = { method: "PATCH", key, json: { name: "Renamed" } };
  for (let n = 0; n < 2; n++) await (await service.fetch(path, patch)).body?.cancel();
  await (await service.fetch(path, { method: "DELETE", key })).body?.cancel();

  const [made, ...changes] = await entries(service);
  assertEquals([made?.kind, made?.action, made?.actor], ["key", "create", { kind: "service" }]);
  assertEquals(changes.map(({ action }) => action), ["create", "change", "delete"]);
  for (const { actor, target } of changes) {
    assertEquals([actor, target.id], [{ kind: "api_key", id: apiKey!.id }, id]);
  }
  assertEquals(changes[1]?.changes, [
    { field: "name", before: "Helper", after: "Renamed" },
    { field: "version", before: "1", after: "2" },
  ]);
});

Deno.test("command line: a change is in the audit log as its own, without any secret", async () => {
  const kv = await openTestKv();
  let now = Date.UTC(2026, 0, 15);
  const runtime = { now: () => now++ };
  await using service = await TestService.start({ kv, runtime, env: { DEMO: "off" } });
  const commands = adminCommands(service.service);
  const made = await commands["keys.create"]({ name: "ops", scopes: ["agents:read"] });
  await commands["keys.revoke"]({ prefix: made.apiKey.secrets[0]!.prefix });
  await commands["secrets.set"]({ name: "CRM", value: "tops3cret", domains: ["a.example"] });
  await commands["secrets.set"]({ name: "CRM", value: "tops3cret", domains: ["b.example"] });
  await commands["secrets.delete"]({ name: "CRM" });
  const all = await entries(service);
  assertEquals(all.map(({ kind, action }) => `${kind} ${action}`), [
    "key create",
    "key revoke",
    "secret create",
    "secret replace",
    "secret delete",
  ]);
  assert(all.every(({ actor }) => actor.kind === "command_line"));
  const stored = await storedText(kv);
  assert(!stored.includes("tops3cret") && !stored.includes(made.secret));
});
