/** The backends that the Embed page shows, each run as a site's owner would run it. */
import { assertEquals, assertMatch } from "@std/assert";
import { BACKENDS, findBackend } from "@/lib/dashboard/embed/backends.ts";
import { scriptTag } from "@/lib/schemas/script_tag.ts";
import { BACKEND_FUNCTIONS, runBackend, runPlugin } from "./support/embed_backends.ts";
import { isInstalled } from "./support/installed_program.ts";
import { TestService } from "./support/service.ts";

const SITE = "https://shop.example.com";

async function openSite() {
  const service = await TestService.start();
  const apiKey = await service.key(["widget:mint"]);
  const agent = await service.agent(await service.key(), { allowedOrigins: [SITE] });
  const values = { baseUrl: service.url, agentId: agent.id, origin: SITE, tag: "" };
  return { service, apiKey, values };
}

for (const { backend, program } of BACKEND_FUNCTIONS) {
  Deno.test({
    name:
      `${backend.name} backend: returns a session for its own site, and the service's error for others`,
    ignore: program !== "deno" && !isInstalled(program),
    async fn() {
      const { service, apiKey, values } = await openSite();
      await using _ = service;
      for (const origin of [SITE, undefined]) {
        const minted = await runBackend(backend, { values, apiKey, ...origin && { origin } });
        assertEquals(minted.status, 201, minted.body);
        assertMatch(JSON.parse(minted.body).sessionToken, /^cs_/);
      }
      const foreign = { values, apiKey, origin: "https://elsewhere.example" };
      const rejected = await runBackend(backend, foreign);
      assertEquals([rejected.status, JSON.parse(rejected.body).code], [403, "origin_not_allowed"]);
    },
  });

  Deno.test({
    name: `${backend.name} backend: answers 502 with JSON while the service cannot be reached`,
    ignore: program !== "deno" && !isInstalled(program),
    async fn() {
      const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
      const baseUrl = `http://127.0.0.1:${listener.addr.port}`;
      listener.close();
      const values = { baseUrl, agentId: crypto.randomUUID(), origin: SITE, tag: "" };
      const { status, body } = await runBackend(backend, { values, apiKey: "ck_x", origin: SITE });
      assertEquals([status, JSON.parse(body)], [502, {}]);
    },
  });
}

Deno.test({
  name:
    "WordPress plugin: its route returns a session for its own site, and its footer has the tag",
  ignore: !isInstalled("php"),
  async fn() {
    const { service, apiKey, values } = await openSite();
    await using _ = service;
    const tag = scriptTag({
      src: `${service.url}/widget.v1.js`,
      integrity: "sha384-x",
      apiBase: service.url,
      agentId: values.agentId,
      sessionEndpoint: "/chat-session",
    });
    const plugin = findBackend("wordpress");
    const run = { values: { ...values, tag }, apiKey, home: SITE };
    const minted = await runPlugin(plugin, run);
    assertEquals(minted.status, 201, minted.body);
    assertMatch(JSON.parse(minted.body).sessionToken, /^cs_/);
    const endpoint = `${SITE}/wp-json/agent-chat/v1/session`;
    assertEquals(minted.footer.trim(), tag.replace("/chat-session", endpoint));
    const foreign = await runPlugin(plugin, { ...run, origin: "https://elsewhere.example" });
    assertEquals([foreign.status, JSON.parse(foreign.body).code], [403, "origin_not_allowed"]);
  },
});

Deno.test("backends: every one reads the key from its environment, and forwards the origin", () => {
  const values = { baseUrl: "https://chat.example.com", agentId: "a", origin: SITE, tag: "" };
  for (const { name, code } of BACKENDS) {
    assertMatch(code(values), /CHAT_API_KEY/, name);
    assertMatch(code(values), /origin/i, name);
    assertEquals(code(values).includes("https://chat.example.com/v1/widget/session"), true, name);
  }
  assertEquals(findBackend("nothing").id, "node");
});
