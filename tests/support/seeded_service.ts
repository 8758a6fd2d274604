import { assertEquals } from "@std/assert";
import { catalogueEntry } from "./chat.ts";
import { type Dashboard, SETUP_TOKEN, visitors } from "./dashboard.ts";
import { readFrames } from "./frames.ts";
import { agentBody, TestService } from "./service.ts";

/** A service with one of every listed resource. */
export async function seededService() {
  const service = await TestService.start({ env: { SETUP_TOKEN } });
  const all = await visitors(service);
  const { agents, apiKeys, catalogue, knowledge, secrets, runtime, team } = service.service;
  const tenant = await service.tenant();
  const agent = await agents.create(tenant, agentBody());
  await agents.patch(tenant, agent.id, { patch: { name: "Renamed" } });
  const { secret } = await apiKeys.create(tenant, { name: "k", scopes: ["widget:mint"] });
  await secrets.set(tenant, { name: "CRM_KEY", value: "tops3cret", domains: ["crm.example.com"] });
  await catalogue.set(catalogueEntry(), runtime);
  await knowledge.create(tenant, { name: "Handbook" });
  await team.invite(tenant, { email: "new@example.com", role: "viewer" });
  const messages = [{ role: "user", content: "Hello" }];
  const json = { agentId: agent.id, messages };
  await readFrames(await service.fetch("/v1/chat/stream", { method: "POST", key: secret, json }));
  return { service, all };
}

/** Every page that is reachable by links from home, by path. */
export async function crawl(
  dashboard: Dashboard,
  service: TestService,
): Promise<Map<string, string>> {
  const pages = new Map<string, string>();
  const open = ["/home"];
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    if (pages.has(path)) continue;
    const answer = await dashboard.get(path);
    assertEquals(answer.status, 200, `a page leads to ${path}`);
    const html = await answer.text();
    // A download is not a page, but must exist.
    if (!answer.headers.get("content-type")?.startsWith("text/html")) continue;
    pages.set(path, html);
    for (const [, href] of html.matchAll(/<a\b[^>]* href="([^"]+)"/g)) {
      const { origin, pathname, search } = new URL(
        href!.replaceAll("&amp;", "&"),
        service.url + path,
      );
      if (origin === service.url) open.push(pathname + search);
    }
  }
  return pages;
}
