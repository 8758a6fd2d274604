/**
 * The loop that makes answers better, in one browser: crawl a site, see what is missing, write the answer,
 * rehearse, publish by canary, roll back.
 */
import { assert, assertEquals } from "@std/assert";
import { systemRuntime } from "@/lib/platform/runtime.ts";
import { alive, visit, withBrowser, withPage } from "./support/browser.ts";
import { openCrawls } from "./support/crawls.ts";
import { readFrames, textOf } from "./support/frames.ts";
import { ownerContext } from "./support/owner.ts";
import { pageOf, serveSite } from "./support/test_site.ts";
import { byKey, say } from "./support/widget_calls.ts";

const CONVERSATIONS = 24;

/** Pauses between requests and words are short; time limits are real. */
function shortSleep(ms: number, signal?: AbortSignal): Promise<void> {
  if (ms < 100 && !signal?.aborted) return Promise.resolve();
  return systemRuntime.sleep(ms <= 3_000 ? 5 : ms, signal);
}

Deno.test("an editor makes an agent better, and takes back what does not work", async () => {
  await using site = serveSite({
    "/": pageOf("Shop", "We sell books of every kind.", ["/returns"]),
    "/returns": pageOf("Returns", "You may return any book within thirty days."),
  });
  await using crawls = await openCrawls({ runtime: { now: systemRuntime.now, sleep: shortSleep } });
  const { service, base, idle } = crawls;
  const key = await service.key(["agents:write", "widget:mint"]);
  const agent = await service.agent(key, { name: "Helper", knowledgeBaseId: base.id });
  const ask = async (question: string, conversationId?: string) => {
    const body = {
      agentId: agent.id,
      messages: [say(question)],
      ...conversationId && { conversationId },
    };
    const frames = await readFrames(await byKey(service, { key, body }));
    const [first] = frames;
    assert(first?.frame.type === "start");
    return { ...first.frame, text: textOf(frames) };
  };
  const context = await ownerContext(service);
  await withBrowser(async (browser) => {
    const options = {
      browser,
      width: 1440,
      colorScheme: "light",
      baseUrl: service.url,
      context,
    } as const;
    await withPage(options, async (page) => {
      const click = (name: string | RegExp) => page.getByRole("button", { name }).click();

      // Crawl a small site.
      await visit(page, `/knowledge/${base.id}/sources`);
      await page.getByLabel("Address").fill(site.url());
      await click("Add website");
      await page.getByRole("heading", { name: "Pages" }).waitFor();
      await page.getByText("2 new, 0 changed").waitFor();
      await idle();

      // Visitors ask what it does not say.
      await ask("May I return a book?");
      for (const words of ["Is there parking for caravans?", "Do you have caravan parking?"]) {
        await ask(words);
      }
      await visit(page, "/unanswered");
      await page.getByRole("link", { name: /caravan/ }).click();
      await page.getByRole("textbox", { name: "Answer" })
        .fill("Caravans may park behind the shop. Parking a caravan costs five euros a night.");
      await click("Add to knowledge");
      await page.getByText("Answer added to the knowledge base.").waitFor();
      // The page shows by itself that the answer has been read.
      await click("Ask again");
      await page.getByText("The answer helped: the agent finds it.").waitFor();

      // A draft, tried on what was asked.
      await visit(page, `/agents/${agent.id}/publish`);
      await click("Publish by hand from now on");
      await page.getByRole("heading", { name: "Published by hand" }).waitFor();
      await visit(page, `/agents/${agent.id}`);
      await alive(page);
      await page.getByLabel("System prompt").fill("Answer in one sentence.");
      await click(/^Save/);
      await page.getByText("Changes saved.").waitFor();
      await visit(page, `/agents/${agent.id}/rehearse`);
      await click("Start rehearsal");
      await page.getByText("3 of 3").waitFor();

      // A share of new conversations gets it.
      await visit(page, `/agents/${agent.id}/publish`);
      await page.getByLabel("Share of new conversations, percent").fill("50");
      await click("Start canary of version 2");
      await page.getByText("50 % of new conversations use version 2.").waitFor();
      const begun = [];
      for (let n = 0; n < CONVERSATIONS; n++) begun.push(await ask("May I return a book?"));
      await page.reload();
      const table = page.getByRole("table", { name: "Canary compared with the published version" });
      const cells = await table.getByRole("row", { name: /^Conversations/ }).getByRole("cell")
        .allTextContents();
      const [canary, published] = cells.slice(-2).map(Number);
      assertEquals(canary! + published!, CONVERSATIONS);
      assert(canary! > 0 && published! > 0, `${canary}, ${published}`);

      // And is taken back.
      await click("Roll back");
      await page.getByText("Canary ended.").waitFor();
      for (const { conversationId } of begun) await ask("And now?", conversationId);
      await page.reload();
      await page.getByText("Last canary: version 2").click();
      const after = await table.getByRole("row", { name: /^Answers/ }).getByRole("cell")
        .allTextContents();
      assertEquals(
        after.slice(-2).map(Number),
        [canary, published],
        "no conversation used it afterwards",
      );
    });
  });
});
