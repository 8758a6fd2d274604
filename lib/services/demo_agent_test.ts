import { assertEquals } from "@std/assert";
import { openAgentServices } from "@/tests/support/agent_services.ts";
import { fakeUuid } from "@/tests/support/fake_runtime.ts";
import { ensureDemoAgent, serviceOrigins } from "./demo_agent.ts";

const TENANT = fakeUuid(801);
const BASE = "http://127.0.0.1:8000";

Deno.test("serviceOrigins: loopback under each of its names, other addresses unchanged", () => {
  const local = ["http://localhost:8000", "http://127.0.0.1:8000"];
  assertEquals(serviceOrigins("http://localhost:8000"), local);
  assertEquals(serviceOrigins(BASE), local);
  assertEquals(serviceOrigins("https://chat.example"), ["https://chat.example"]);
  assertEquals(serviceOrigins("http://192.168.0.2:8000"), []);
});

Deno.test("ensureDemoAgent: concurrent calls create one agent that embeds on this service", async () => {
  using kv = await Deno.openKv(":memory:");
  const { agents } = openAgentServices(kv);
  const ensure = () => ensureDemoAgent({ kv, agents, tenant: TENANT, baseUrl: BASE });
  const ids = await Promise.all([ensure(), ensure(), ensure()]);
  assertEquals(new Set(ids).size, 1);
  const { data } = await agents.list(TENANT, { limit: 100 });
  assertEquals(data.map((agent) => agent.id), [ids[0]]);
  assertEquals(data[0]?.allowedOrigins, serviceOrigins(BASE));
  assertEquals(data[0]?.modelPolicy.model, "demo");
});

Deno.test("ensureDemoAgent: does not recreate a deleted agent", async () => {
  using kv = await Deno.openKv(":memory:");
  const { agents } = openAgentServices(kv);
  const options = { kv, agents, tenant: TENANT, baseUrl: BASE };
  await agents.delete(TENANT, (await ensureDemoAgent(options))!);
  assertEquals(await ensureDemoAgent(options), undefined);
  assertEquals((await agents.list(TENANT, { limit: 1 })).data, []);
});

Deno.test("ensureDemoAgent: adds a new address and changes nothing else", async () => {
  using kv = await Deno.openKv(":memory:");
  const { agents } = openAgentServices(kv);
  const options = { kv, agents, tenant: TENANT, baseUrl: BASE };
  const id = (await ensureDemoAgent(options))!;
  await agents.patch(TENANT, id, { patch: { name: "Mine" } });
  await ensureDemoAgent({ ...options, baseUrl: "https://chat.example" });
  const agent = await agents.get(TENANT, id);
  assertEquals(agent.allowedOrigins, ["https://chat.example", ...serviceOrigins(BASE)]);
  assertEquals([agent.name, agent.version], ["Mine", 3]);
  await ensureDemoAgent(options);
  assertEquals((await agents.get(TENANT, id)).version, 3);
});

Deno.test("ensureDemoAgent: keeps every entry of a full list of origins", async () => {
  using kv = await Deno.openKv(":memory:");
  const { agents } = openAgentServices(kv);
  const options = { kv, agents, tenant: TENANT, baseUrl: BASE };
  const id = (await ensureDemoAgent(options))!;
  const allowedOrigins = Array.from({ length: 32 }, (_, n) => `https://o${n}.example`);
  await agents.patch(TENANT, id, { patch: { allowedOrigins } });
  await ensureDemoAgent(options);
  assertEquals((await agents.get(TENANT, id)).allowedOrigins, allowedOrigins);
});

Deno.test("ensureDemoAgent: an agent with a removed model does not prevent the start", async () => {
  using kv = await Deno.openKv(":memory:");
  const { agents, catalogue } = openAgentServices(kv);
  const options = { kv, agents, tenant: TENANT, baseUrl: BASE };
  const id = (await ensureDemoAgent(options))!;
  const price = { inputUsdPerMTok: 0, outputUsdPerMTok: 0 };
  const size = { contextTokens: 1_000, maxOutputTokens: 100 };
  await catalogue.addMissing([{ vendor: "vendor_a", model: "gone", ...price, ...size }]);
  await agents.patch(TENANT, id, { patch: { modelPolicy: { model: "gone" } } });
  await kv.delete(["catalogue_entries", "vendor_a", "gone"]);
  assertEquals(await ensureDemoAgent({ ...options, baseUrl: "https://chat.example" }), id);
});
