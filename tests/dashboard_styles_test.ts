/** The dashboard's style sheets: which exist, their order, and how they are served. */
import { assert, assertEquals } from "@std/assert";
import { TestService } from "./support/service.ts";

const FOLDER = new URL("../static/dashboard/", import.meta.url);

Deno.test("every dashboard page links each file of static/dashboard once, the overrides last", async () => {
  await using service = await TestService.start();
  const linked = (await linksOf(service)).map((href) => href.split("/").at(-1)!.split("?")[0]!);
  const files = [...Deno.readDirSync(FOLDER)].map(({ name }) => name);
  assertEquals(linked.toSorted(), files.toSorted());
  assertEquals([linked[0], linked.at(-1)], ["tokens.css", "adapt.css"]);
});

Deno.test("dashboard style sheets are cached as immutable under their linked URL", async (t) => {
  await using service = await TestService.start();
  for (const href of await linksOf(service)) {
    await t.step(href.split("?")[0]!, async () => {
      const answer = await service.fetch(href);
      assertEquals(answer.status, 200);
      assertEquals(answer.headers.get("content-type")?.toLowerCase(), "text/css; charset=utf-8");
      assertEquals(answer.headers.get("cache-control"), "public, max-age=31536000, immutable");
      await answer.body?.cancel();
    });
  }
});

Deno.test("each dashboard style sheet is complete: no rule spans two files", async () => {
  for (const { name } of Deno.readDirSync(FOLDER)) {
    const text = await Deno.readTextFile(new URL(name, FOLDER));
    const bare = text.replace(/\/\*.*?\*\//gs, "").trim();
    assertEquals(bare.split("{").length, bare.split("}").length, name);
    assert(bare.endsWith("}"), name);
  }
});

async function linksOf(service: TestService): Promise<string[]> {
  const html = await (await service.fetch("/setup")).text();
  return [...html.matchAll(/<link rel="stylesheet" href="([^"]+)"/g)].map(([, href]) => href!);
}
