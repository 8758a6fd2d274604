import { withBrowser, withPage } from "@/tests/support/browser.ts";
import { TestService } from "@/tests/support/service.ts";
import type { Benchmark } from "./mod.ts";
import { formatNumber, formatTable } from "./support/table.ts";

type Browser = Parameters<Parameters<typeof withBrowser>[0]>[0];

const ROUNDS = 30;
const GOAL_MS = 100;

export const benchmark: Benchmark = {
  about: "from a click on the widget's launcher to a usable panel, in Chromium with a cold cache",
  async run() {
    await using service = await TestService.start();
    await withBrowser(async (browser) => {
      // The first load compresses the files.
      await openOnce(browser, service.url, false);
      const rows = [];
      for (const [name, hovers] of [["click", false], ["hover, then click", true]] as const) {
        const times = [];
        for (let n = 0; n < ROUNDS; n++) times.push(await openOnce(browser, service.url, hovers));
        const field = quantiles(times.map((time) => time.field));
        const panel = quantiles(times.map((time) => time.panel));
        const holds = panel.p95 < GOAL_MS ? "yes" : "no";
        rows.push([name, ...[field, panel].flatMap(({ p50, p95 }) => [p50, p95]).map(formatNumber)]
          .concat(holds));
      }
      const head = ["", "field p50 ms", "p95", "panel p50 ms", "p95", `p95 under ${GOAL_MS} ms`];
      console.log(formatTable(head, rows));
    });
  },
};

interface Times {
  /** Until the visitor can type. */
  readonly field: number;
  /** Until the panel has drawn its greeting, suggestions and buttons. */
  readonly panel: number;
}

/** Each page has its own profile, so nothing is cached. */
async function openOnce(browser: Browser, baseUrl: string, hovers: boolean): Promise<Times> {
  return await withPage({ browser, baseUrl }, async (page) => {
    await page.goto("/demo");
    const launcher = page.getByRole("button", { name: /Open chat/ });
    await launcher.waitFor();
    if (hovers) {
      await launcher.hover();
      await page.locator(".hello").waitFor({ state: "attached" });
    }
    return await page.evaluate(async () => {
      const root = document.querySelector("service-widget")!.shadowRoot!;
      const drawn = () => new Promise((resolve) => requestAnimationFrame(resolve));
      const start = performance.now();
      root.querySelector<HTMLElement>(".launcher")!.click();
      while (root.activeElement?.className !== "input") await drawn();
      const field = performance.now() - start;
      while (root.querySelector(".hello") === null) await drawn();
      await drawn();
      return { field, panel: performance.now() - start };
    });
  });
}

function quantiles(times: number[]): { p50: number; p95: number } {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (part: number) => sorted[Math.floor(part * (sorted.length - 1))]!;
  return { p50: at(0.5), p95: at(0.95) };
}
