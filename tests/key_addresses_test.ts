/** API keys that are restricted to networks. */
import { assert, assertEquals } from "@std/assert";
import { SCOPE_NAMES } from "@/lib/schemas/scopes.ts";
import { expectError, expectJson } from "./support/expect_response.ts";
import { openTestKv } from "./support/open_kv.ts";
import { TestService } from "./support/service.ts";
import { ORIGIN, say } from "./support/widget_calls.ts";

const INPUT = { name: "Shop backend", scopes: [...SCOPE_NAMES] };

/** Two processes on one store, behind one proxy. */
async function open() {
  const kv = await openTestKv();
  const env = { TRUSTED_PROXY_HOPS: "1" };
  const start = () => TestService.start({ env, kv, keepKv: true });
  const [first, second] = [await start(), await start()];
  const tenant = await first.tenant();
  const { apiKeys } = first.service;
  const addresses = ["203.0.113.0/24", "2001:db8:1::/48"];
  const { apiKey, secret: key } = await apiKeys.create(tenant, { ...INPUT, addresses });
  const from = (address: string, path = "/v1/agents", init: object = {}, service = first) =>
    service.fetch(path, { key, ...init, headers: { "x-forwarded-for": address, origin: ORIGIN } });
  const dispose = async () => {
    await first[Symbol.asyncDispose]();
    await second[Symbol.asyncDispose]();
    kv.close();
  };
  return { first, second, tenant, apiKeys, apiKey, key, from, [Symbol.asyncDispose]: dispose };
}

Deno.test("a key for networks: the client's address decides, as the trusted proxy reports it", async () => {
  await using fixture = await open();
  const { from, first, key } = fixture;
  for (const address of ["203.0.113.7", "2001:db8:1::7", "198.51.100.1, 203.0.113.200"]) {
    await expectJson(await from(address), 200);
  }
  for (const address of ["203.0.114.7", "2001:db8:2::7", "203.0.113.7, 198.51.100.1", "x"]) {
    await expectError(await from(address), "address_not_allowed");
  }
  // Without the proxy's header the connection decides: it is loopback.
  await expectError(await first.fetch("/v1/agents", { key }), "address_not_allowed");
  const wrong = key.slice(0, -1) + (key.endsWith("0") ? "1" : "0");
  const stranger = { headers: { authorization: `Bearer ${wrong}` } };
  await expectError(await first.fetch("/v1/agents", stranger), "invalid_api_key");
});

Deno.test("a key for networks: chats, resumed runs and MCP are rejected from elsewhere too", async () => {
  await using fixture = await open();
  const { from } = fixture;
  const id = crypto.randomUUID();
  const json = { agentId: id, messages: [say("Hello")] };
  const calls: [string, object][] = [
    ["/v1/chat/stream", { method: "POST", json }],
    [`/v1/chat/runs/${id}/stream`, {}],
    [`/v1/chat/conversations/${id}/stream`, {}],
    [`/v1/chat/attachments/${id}`, {}],
    ["/v1/openai/models", {}],
  ];
  for (const [path, init] of calls) {
    const answer = await from("198.51.100.1", path, init);
    assertEquals([answer.status, (await answer.text()).includes("from this address")], [403, true]);
  }
});

Deno.test("a key for networks: a rejected attempt is in the tenant's audit log, many are one entry", async () => {
  await using fixture = await open();
  const { from, first, tenant, apiKey } = fixture;
  for (let n = 0; n < 3; n++) await (await from("198.51.100.1")).body?.cancel();
  await first.service.securityLog.flush();
  const { data } = await first.service.audit.list(tenant, { limit: 10, kind: "access" });
  const times = data.map(({ action, target, changes }) => {
    assertEquals([action, target], ["key address not allowed", {
      id: apiKey.id,
      name: INPUT.name,
    }]);
    return changes.map(({ field, after }) => `${field} ${after}`).sort().join(", ");
  });
  assertEquals(times.sort(), ["address 198.51.100.1, times 1", "address 198.51.100.1, times 2"]);
});

Deno.test("a key for networks: a change takes effect with the next request to every process", async () => {
  await using fixture = await open();
  const { from, second, apiKeys, tenant, apiKey } = fixture;
  const there = () => from("203.0.113.7", "/v1/agents", {}, second);
  await expectJson(await there(), 200);
  await apiKeys.restrict(tenant, apiKey.id, { addresses: ["198.51.100.0/24"] });
  await expectError(await there(), "address_not_allowed");
  await expectError(await from("203.0.113.7"), "address_not_allowed");
  await apiKeys.restrict(tenant, apiKey.id, { addresses: undefined });
  await expectJson(await there(), 200);
});

Deno.test("a key says which network it was last used from, and never a whole address", async () => {
  await using fixture = await open();
  const { from, apiKeys, tenant } = fixture;
  await expectJson(await from("203.0.113.77"), 200);
  const [used] = await apiKeys.list(tenant);
  assertEquals(used?.lastUsedFrom, "203.0.113.0/24");
  await expectJson(await from("2001:db8:1:2:3:4:5:6"), 200);
  const [later] = await apiKeys.list(tenant);
  assertEquals(later?.lastUsedFrom, "2001:db8:1:2::/64");
  assert(later?.lastUsedAt !== undefined);
});
