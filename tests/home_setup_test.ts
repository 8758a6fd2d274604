/** The setup steps on home: each ticks itself when its fact is true. */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { catalogueEntry } from "./support/chat.ts";
import { Dashboard, SETUP_TOKEN } from "./support/dashboard.ts";
import { agentBody, TestService } from "./support/service.ts";

const SITE = "https://shop.example.com";

async function open(env: Record<string, string> = {}) {
  const service = await TestService.start({ env: { SETUP_TOKEN, ...env } });
  const operator = await Dashboard.setUp(service);
  const read = async (path = "/home") => await (await operator.get(path)).text();
  /** "2 of 5", or nothing while the steps are hidden. */
  const progress = async (path?: string) =>
    /id="getting-started".*?<p class="help">([^<]*)/s.exec(await read(path))?.[1];
  return { service, operator, read, progress };
}

Deno.test("/home: the five setup steps tick themselves, then disappear", async () => {
  const { service, read, progress } = await open({ VENDOR_A_API_KEY: "sk-x" });
  await using _ = service;
  const { agents, catalogue } = service.service;
  const tenant = await service.tenant();
  assertEquals(await progress(), "0 of 5");
  assertStringIncludes(await read(), "/operator/providers");
  await catalogue.addMissing([catalogueEntry({ vendor: "vendor_a" })]);
  assertEquals(await progress(), "1 of 5");
  const { id } = await agents.create(tenant, agentBody());
  assertEquals(await progress(), "2 of 5");
  assertStringIncludes(await read(), `/agents/${id}/embed#embed-backend`);
  await agents.patch(tenant, id, { patch: { allowedOrigins: [SITE] } });
  assertEquals(await progress(), "3 of 5");
  const key = await service.key(["widget:mint"]);
  assertEquals(await progress(), "3 of 5");
  const minted = await service.fetch("/v1/widget/session", {
    method: "POST",
    key,
    json: { agentId: id },
    headers: { origin: SITE },
  });
  assertEquals(minted.status, 201);
  await minted.body?.cancel();
  assertEquals(await progress(), "4 of 5");
  const json = { agentId: id, messages: [{ role: "user", content: "Hello" }] };
  await (await service.fetch("/v1/chat/stream", { method: "POST", key, json })).text();
  assertEquals(await progress(), undefined);
  assertEquals(await progress("/home?setup"), "5 of 5");
});

Deno.test("/home: the demo model and the demo agent are no setup steps", async () => {
  const { service, progress } = await open({ DEMO: "on", DEMO_MODEL: "on" });
  await using _ = service;
  await service.service.demoReady;
  assertEquals(await progress(), "0 of 5");
});

Deno.test("/home: hidden setup steps come back from the user menu", async () => {
  const { service, operator, read, progress } = await open();
  await using _ = service;
  const hidden = await operator.post("/home/dismiss", { advice: "getting_started" });
  assertEquals(hidden.status, 303);
  assertEquals(await progress(), undefined);
  assertStringIncludes(await read(), 'href="/home?setup"');
  assertEquals(await progress("/home?setup"), "0 of 5");
});

Deno.test("/home: members who cannot connect a model learn whom to ask", async () => {
  const { service } = await open();
  await using _ = service;
  const owner = await Dashboard.join(service, "owner");
  const home = await (await owner.get("/home")).text();
  assertStringIncludes(home, "Ask the operator of this installation to connect one");
  assert(!home.includes('href="/operator/providers"'));
});
