/** Every page that a role can reach, in a real browser: accessible and without errors. */
import axe from "axe-core";
import { assert, assertEquals } from "@std/assert";
import type { Page } from "playwright-core";
import { withBrowser, withPage } from "./support/browser.ts";
import { crawl, seededService } from "./support/seeded_service.ts";

const LOOKS = {
  viewer: { width: 360, colorScheme: "dark" },
  admin: { width: 1440, colorScheme: "light" },
  owner: { width: 360, colorScheme: "light" },
} as const;

Deno.test("every role's pages pass axe, log no console error and fit the screen", async (t) => {
  const { service, all } = await seededService();
  await using _ = service;
  const seen = new Set<string>();
  await withBrowser(async (browser) => {
    for (const role of ["viewer", "admin", "owner"] as const) {
      const dashboard = all.get(role)!;
      const paths = [...(await crawl(dashboard, service)).keys()];
      // Pages that several roles share are checked once.
      const fresh = paths.filter((path) => !seen.has(kindOf(path)));
      const kinds = new Map(fresh.map((path) => [kindOf(path), path]));
      for (const kind of kinds.keys()) seen.add(kind);
      await t.step(`${role}: ${kinds.size} pages`, async () => {
        const [name, value] = dashboard.cookie.split("=");
        const look = { browser, baseUrl: service.url, ...LOOKS[role] };
        await withPage(look, async (page, lines) => {
          await page.context().addCookies([{ name: name!, value: value!, url: service.url }]);
          for (const path of kinds.values()) await inspect(page, path);
          assertEquals(lines.filter(({ type }) => type === "error" || type === "pageerror"), []);
        });
      });
    }
  });
});

/** A page's path with its ids replaced, so that each kind of page is checked once. */
function kindOf(path: string): string {
  return path.replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, ":id").replace(/\?.*/, "");
}

async function inspect(page: Page, path: string): Promise<void> {
  await page.goto(path);
  const found = await page.evaluate(`(() => { ${axe.source}; return axe.run(); })()`) as {
    violations: { id: string; nodes: { html: string }[] }[];
  };
  const problems = found.violations.map(({ id, nodes }) =>
    `${id}: ${nodes.map(({ html }) => html)}`
  );
  assertEquals(problems, [], path);
  const wider = await page.evaluate("document.documentElement.scrollWidth - innerWidth");
  assert(wider === 0, `${path} is ${wider} px too wide`);
}
