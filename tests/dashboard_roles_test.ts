/** Every dashboard route and method with every role: the server enforces permissions. */
import { assert, assertEquals, assertMatch } from "@std/assert";
import { pageMethodsOf } from "@/lib/http/page_methods.ts";
import { Dashboard, SETUP_TOKEN, type Visitor, visitors } from "./support/dashboard.ts";
import { addressOf, patternOf, routeFiles } from "./support/route_files.ts";
import { agentBody, TestService } from "./support/service.ts";

const ALL_ROLES: Visitor[] = ["viewer", "admin", "owner", "operator"];
const EDITORS: Visitor[] = ["admin", "owner", "operator"];
const OWNERS: Visitor[] = ["owner", "operator"];

/** Who may view a page and who may make changes there; the operator also owns the first tenant. */
function allowed(path: string): { view: Visitor[]; change: Visitor[] } {
  if (path.startsWith("/operator/")) return { view: ["operator"], change: ["operator"] };
  if (/^\/account(\/|$)/.test(path)) return { view: ALL_ROLES, change: ALL_ROLES };
  if (/^\/(team\/|settings\/(export|second-factor|single-sign-on(\/.*)?)$)/.test(path)) {
    return { view: OWNERS, change: OWNERS };
  }
  const isForm = /\/(new|delete|revoke|rotate|restrict|doctor)$|^\/settings\/mcp$|^\/mcp\//.test(
    path,
  );
  return { view: isForm ? EDITORS : ALL_ROLES, change: EDITORS };
}

const PAGES = routeFiles()
  .filter((file) => file.startsWith("(admin)/"))
  .map((file) => ({
    path: addressOf(file, { vendor: "vendor_b", name: "CRM_KEY" }),
    methods: pageMethodsOf(patternOf(file)),
  }));

Deno.test("every dashboard route allows each role and method exactly what permissions say", async (t) => {
  await using service = await TestService.start({ env: { SETUP_TOKEN } });
  const all = await visitors(service);
  assert(PAGES.length > 20, "the walk finds the routes");
  for (const { path, methods } of PAGES) {
    const { view, change } = allowed(path);
    await t.step(path, async () => {
      for (const [visitor, dashboard] of all) {
        const read = await statusOf(dashboard.get(path));
        if (!methods.includes("GET")) assertEquals(read, 405);
        else if (visitor === "stranger") assertEquals(read, 303);
        else assertEquals(read !== 403, view.includes(visitor), `GET as ${visitor}: ${read}`);
        for (const method of ["POST", "PUT", "PATCH", "DELETE"]) {
          const status = await send(service, { dashboard, method, path });
          if (!methods.some((one) => one === method)) assertEquals(status, 405, method);
          else if (visitor === "stranger") assertEquals(status, 303, method);
          else if (!change.includes(visitor)) assertEquals(status, 403, `${method} as ${visitor}`);
          // An empty form may be invalid, but a permitted role is never rejected for its role.
          else assert(status < 500, `${method} as ${visitor}: ${status}`);
        }
      }
    });
  }
});

Deno.test("forms submitted by a viewer or another tenant's owner change nothing", async () => {
  await using service = await TestService.start({ env: { SETUP_TOKEN } });
  const all = await visitors(service);
  const tenant = await service.tenant();
  const agent = await service.service.agents.create(tenant, agentBody());
  const key = await service.service.apiKeys.create(tenant, { name: "k", scopes: ["agents:read"] });
  const [, , , viewer] = await service.service.team.members(tenant);
  const { id: elsewhere } = await service.service.tenants.create("Elsewhere");
  const otherOwner = await Dashboard.join(service, "owner", { tenant: elsewhere, name: "else" });
  const forms: [string, Record<string, string>][] = [
    [`/agents/${agent.id}/delete`, {}],
    [`/api-keys/${key.apiKey.id}/revoke`, {}],
    [`/api-keys/${key.apiKey.id}/rotate`, { hours: "0" }],
    [`/api-keys/${key.apiKey.id}/restrict`, { addresses: "10.0.0.0/8" }],
    [`/team/${viewer!.id}`, { role: "owner" }],
    [`/team/${viewer!.id}/remove`, {}],
    [`/team/${viewer!.id}/reset`, {}],
    [`/team/${viewer!.id}/factors`, {}],
    [`/team/${viewer!.id}/sign-out`, {}],
  ];
  for (const [path, fields] of forms) {
    assertEquals(await statusOf(all.get("viewer")!.post(path, fields)), 403, path);
    assertEquals(await statusOf(otherOwner.post(path, fields)), 404, path);
  }
  assertEquals((await service.service.agents.get(tenant, agent.id)).version, 1);
  assertEquals((await service.service.apiKeys.list(tenant))[0]?.secrets.length, 1);
  assertEquals((await service.service.team.member(tenant, viewer!.id))?.role, "viewer");
});

Deno.test("every dashboard page has a policy with a fresh nonce and rejects cross-site changes", async () => {
  await using service = await TestService.start({ env: { SETUP_TOKEN } });
  const operator = (await visitors(service)).get("operator")!;
  const nonces = new Set<string>();
  for (const { path, methods } of PAGES) {
    const answer = await operator.get(path);
    const policy = answer.headers.get("content-security-policy") ?? "";
    const html = await answer.text();
    if (answer.headers.get("content-type")?.startsWith("text/html") && answer.status === 200) {
      const nonce = /script-src 'nonce-([^']{16,})' 'strict-dynamic';/.exec(policy)?.[1];
      assert(nonce !== undefined && !policy.includes("unsafe"), `${path}: ${policy}`);
      nonces.add(nonce);
      for (const [tag] of html.matchAll(/<script\b[^>]*>/g)) assertMatch(tag, /nonce=|src=/);
      assert(!/ on[a-z]+="/.test(html), path);
    }
    assertMatch(policy, /frame-ancestors 'none'/);
    const headers = { origin: "https://evil.example", "sec-fetch-site": "cross-site" };
    const crossed = await statusOf(operator.post(path, {}, headers));
    assertEquals(crossed, methods.includes("POST") ? 403 : 405, path);
  }
  assert(nonces.size > 10);
});

async function statusOf(answer: Promise<Response>): Promise<number> {
  const { status, body } = await answer;
  await body?.cancel();
  return status;
}

function send(
  service: TestService,
  { dashboard, method, path }: { dashboard: Dashboard; method: string; path: string },
): Promise<number> {
  const headers = {
    cookie: dashboard.cookie,
    origin: service.url,
    "content-type": "application/x-www-form-urlencoded",
  };
  return statusOf(service.fetch(path, { method, body: "", headers }));
}
