/** Links and forms: every page shows each role only links that work and forms that it may submit. */
import { assert, assertEquals } from "@std/assert";
import { catalogueEntry } from "./support/chat.ts";
import { crawl, seededService } from "./support/seeded_service.ts";
import { MAX_SCRIPT_BYTES, scriptBytes } from "./support/script_bytes.ts";

/** Forms that every role may submit; all others change the tenant. */
const PERSONAL = /^\/(account(\/|$)|sign-out$)/;

/** The actions of a page's forms that can be submitted; a read-only form has no button. */
function formsOf(html: string): (string | undefined)[] {
  const forms = html.matchAll(/<form\b[^>]* method="post"[^>]*>.*?<\/form>/gs);
  return [...forms].map(([form]) => form).filter((form) => form.includes('type="submit"'))
    .map((form) => / action="([^"]+)"/.exec(form)?.[1]);
}

Deno.test("dashboard pages: every link shown to a role works, and viewers see no form that changes the tenant", async (t) => {
  const { service, all } = await seededService();
  await using _ = service;
  const counts: Record<string, number> = {};
  for (const role of ["viewer", "admin", "owner", "operator"] as const) {
    await t.step(role, async () => {
      const pages = await crawl(all.get(role)!, service);
      counts[role] = pages.size;
      const forms = [...pages.values()].flatMap(formsOf);
      const changing = forms.filter((action) => !PERSONAL.test(action ?? ""));
      if (role === "viewer") assertEquals(changing, []);
      else assert(changing.length > 5, `${role} sees forms`);
    });
  }
  const { viewer, admin, owner, operator } = counts;
  assert(viewer! > 15 && admin! > viewer! && owner! > admin! && operator! > owner!, `${viewer}`);
});

Deno.test("dashboard pages: none loads more than 60 KB of script", async () => {
  const { service, all } = await seededService();
  await using _ = service;
  const sizes = new Map<string, number>();
  for (const [path, html] of await crawl(all.get("operator")!, service)) {
    const islands = [...new Set(html.match(/<!--frsh:island:[^:]+/g))].sort().join();
    if (!sizes.has(islands)) sizes.set(islands, await scriptBytes(service, html));
    assert(sizes.get(islands)! < MAX_SCRIPT_BYTES, `${path}: ${sizes.get(islands)} bytes`);
  }
  assert(sizes.size > 3 && Math.max(...sizes.values()) > 10_000, "the crawl finds scripts");
});

Deno.test("dashboard pages: long lists of keys, tenants and models are paginated", async () => {
  const { service, all } = await seededService();
  await using _ = service;
  const { apiKeys, catalogue, runtime, tenants } = service.service;
  const tenant = await service.tenant();
  for (let n = 0; n < 60; n++) {
    await apiKeys.create(tenant, { name: `key ${n}`, scopes: ["agents:read"] });
    await catalogue.set(catalogueEntry({ model: `model-${n}` }), runtime);
    await tenants.create(`Tenant ${n}`);
  }
  const operator = all.get("operator")!;
  for (const path of ["/api-keys", "/operator/models", "/operator/tenants"]) {
    const [first, second] = await Promise.all(["", "?page=2"].map(async (query) => {
      const html = await (await operator.get(path + query)).text();
      return { rows: html.match(/<th scope="row"/g)?.length, html };
    }));
    assertEquals([first!.rows, second!.rows], [50, 11], path);
    assert(first!.html.includes(`href="${path}?page=2"`) && second!.html.includes("Previous"));
  }
});
