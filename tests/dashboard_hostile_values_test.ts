/** Every page shows stored values as text, whatever they contain. */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { Parser } from "htmlparser2";
import { visit, withPage } from "./support/browser.ts";
import { catalogueEntry } from "./support/chat.ts";
import { Dashboard, SETUP_TOKEN } from "./support/dashboard.ts";
import { readFrames } from "./support/frames.ts";
import { addressOf, routeFiles } from "./support/route_files.ts";
import { shownText } from "./support/shown_text.ts";
import { agentBody, TestService } from "./support/service.ts";

/** Closes any context it may appear in (attribute, text, script, style, comment) or hides its end. */
const EVIL =
  `"'></textarea></script></style>--><x-mark onclick=alert(1)><img src=x onerror=alert(1)><!--<script>`;

/** A server that a tool calls, with hostile answers. */
function hostileServer() {
  const server = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen() {} },
    () => Response.json({ result: EVIL }),
  );
  const host = `127.0.0.1:${server.addr.port}`;
  return { host, [Symbol.asyncDispose]: () => server.shutdown() };
}

/** A service with hostile text in every value that accepts it. */
async function serviceWithHostileValues(host: string) {
  const env = { SETUP_TOKEN, EGRESS_ALLOW: host, VENDOR_A_NAME: EVIL, VENDOR_A_API_KEY: "x" };
  const service = await TestService.start({ env });
  const { agents, apiKeys, catalogue, documents, knowledge, runtime, tenants } = service.service;
  const operator = await Dashboard.setUp(service);
  const tenant = await service.tenant();
  await tenants.create(EVIL);
  await catalogue.set(catalogueEntry({ model: EVIL }), runtime);
  const body = hostileAgent(host);
  const agent = await agents.create(tenant, body);
  await agents.patch(tenant, agent.id, { patch: { name: `2 ${EVIL}`, systemPrompt: `2 ${EVIL}` } });
  const { apiKey, secret } = await apiKeys.create(tenant, { name: EVIL, scopes: ["widget:mint"] });
  const base = await knowledge.create(tenant, { name: EVIL, description: EVIL });
  const bytes = new TextEncoder().encode(EVIL);
  const upload = { title: EVIL, mediaType: "text/plain" as const, bytes };
  const document = await knowledge.addDocument({ tenant, base: base.id }, upload);
  await documents.whenIdle();
  const conversationId = await hostileChat(service, { key: secret, agentId: agent.id });
  const ids = {
    agents: { id: agent.id, n: "1" },
    "api-keys": { id: apiKey.id },
    conversations: { id: conversationId },
    knowledge: { id: base.id, documentId: document.id },
    tenants: { id: tenant },
    vendors: { vendor: "vendor_b" },
  };
  return { service, operator, ids };
}

function hostileAgent(host: string) {
  const tool = {
    type: "http" as const,
    ...{ name: "look_up", description: EVIL },
    parameters: { type: "object", properties: { q: { type: "string", description: EVIL } } },
    request: { method: "GET", url: `http://${host}/`, query: { q: "{{q}}" } },
  };
  return { ...agentBody(), name: EVIL, systemPrompt: EVIL, tools: [tool], allowedDomains: [host] };
}

/** Hostile text in a visitor's message, a claimed earlier answer, tool arguments and tool output. */
async function hostileChat(
  service: TestService,
  { key, agentId }: { key: string; agentId: string },
): Promise<string> {
  const messages = [
    { role: "user", content: EVIL },
    { role: "assistant", content: EVIL },
    { role: "user", content: `use look_up with ${JSON.stringify({ q: EVIL })}` },
  ];
  const json = { agentId, messages, requestId: "request-of-mine" };
  const answer = await service.fetch("/v1/chat/stream", { method: "POST", key, json });
  const [start] = await readFrames(answer);
  assert(start?.frame.type === "start");
  return start.frame.conversationId;
}

/** Every dashboard page that can be viewed, and a few with hostile queries. */
function pagesOf(ids: Record<string, Record<string, string>>): string[] {
  const evil = encodeURIComponent(EVIL);
  const queries = ["/agents?q=", "/agents/new?template=", "/conversations?id=", "/audit?actor="];
  const query = new URLSearchParams({ vendor: "vendor_a", model: EVIL });
  return [
    ...routeFiles().filter((file) => file.startsWith("(admin)/")).map((file) => {
      const kind = Object.keys(ids).findLast((name) => file.includes(`/${name}/[`));
      return addressOf(file, kind === undefined ? {} : ids[kind]);
    }),
    ...queries.map((prefix) => prefix + evil),
    `/knowledge/${ids.knowledge!.id}/search?q=${evil}`,
    `/operator/models/model?${query}`,
    `/operator/models/delete?${query}`,
    ...["agent", "model", "key"].map((by) => `/usage?by=${by}`),
    `/audit?log=installation`,
    `/settings/secrets/new?name=${evil}&domains=${evil}`,
    `/sign-in?next=/${evil}`,
    `/join?token=${evil}`,
  ];
}

Deno.test("every page shows hostile names, messages, tool outputs and queries as text", async (t) => {
  await using server = hostileServer();
  const { service, operator, ids } = await serviceWithHostileValues(server.host);
  await using _ = service;
  const showing: string[] = [];
  for (const path of pagesOf(ids)) {
    const answer = await operator.get(path);
    const html = await answer.text();
    if (!answer.headers.get("content-type")?.startsWith("text/html")) continue;
    assertEquals(hostileElements(html), [], path);
    if (shownText(html).includes("<x-mark")) showing.push(path);
  }
  assert(showing.length > 20, `pages that show the values: ${showing}`);
  await t.step("a conversation shows its tool's arguments and output", async () => {
    const page = await (await operator.get(`/conversations/${ids.conversations.id}`)).text();
    assertStringIncludes(page, "Result of look_up");
    assertStringIncludes(page, "&quot;result&quot;");
  });
  await t.step(
    "no script of a page turns them into markup",
    () => inBrowser(service, operator, ids),
  );
});

/** Elements that the hostile text produced; tags inside a script's strings do not count. */
function hostileElements(html: string): string[] {
  const found: string[] = [];
  const parser = new Parser({
    onopentag(name, { src, onclick }) {
      if (name === "x-mark" || src === "x" || onclick !== undefined) found.push(name);
    },
  });
  parser.end(html);
  return found;
}

async function inBrowser(
  service: TestService,
  operator: Dashboard,
  ids: Record<"agents" | "conversations" | "knowledge", { id: string }>,
): Promise<void> {
  const [name, value] = operator.cookie.split("=");
  await withPage({ baseUrl: service.url }, async (page, lines) => {
    await page.context().addCookies([{ name: name!, value: value!, url: service.url }]);
    const pages = [
      `/agents/${ids.agents.id}`,
      `/conversations/${ids.conversations.id}`,
      `/knowledge/${ids.knowledge.id}`,
      "/audit",
    ];
    for (const path of pages) {
      await visit(page, path);
      if (path.startsWith("/agents")) {
        await page.getByLabel("Message").fill(`use look_up with ${JSON.stringify({ q: EVIL })}`);
        await page.getByRole("button", { name: "Send" }).click();
        await page.locator(".turn-facts").waitFor();
      }
      assertEquals(await page.locator(`x-mark, img[src="x"]`).count(), 0, path);
    }
    assertEquals(lines.filter(({ type }) => type === "error" || type === "pageerror"), []);
  });
}
