import axe from "axe-core";
import { assertEquals } from "@std/assert";
import type { Page } from "playwright-core";

/** No violation that axe finds, and nothing wider than the window. */
export async function expectAccessible(page: Page): Promise<void> {
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate("axe.run()") as {
    violations: { id: string; nodes: { html: string }[] }[];
  };
  assertEquals(
    violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`)),
    [],
  );
  assertEquals(
    await page.evaluate("document.documentElement.scrollWidth <= innerWidth"),
    true,
    "as wide as the window",
  );
}
