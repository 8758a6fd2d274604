/** Unanswered questions in a real browser, with axe in both themes. */
import { assertEquals } from "@std/assert";
import { alive, visit, withBrowser, withPage } from "./support/browser.ts";
import { expectAccessible } from "./support/expect_accessible.ts";
import { ownerContext } from "./support/owner.ts";
import { openKnowledge } from "./support/knowledge.ts";
import { readFrames } from "./support/frames.ts";
import { byKey, say } from "./support/widget_calls.ts";

async function withQuestions() {
  const on = await openKnowledge();
  const agent = await on.service.agent(on.key, { knowledgeBaseId: on.base.id });
  const ask = async (content: string) => {
    const body = { agentId: agent.id, messages: [say(content)] };
    await readFrames(await byKey(on.service, { key: on.key, body }));
  };
  for (const question of ["Do you have parking for caravans?", "Is there caravan parking?"]) {
    await ask(question);
  }
  await ask("Who founded the company?");
  return { on, ask, [Symbol.asyncDispose]: () => on[Symbol.asyncDispose]() };
}

for (const [width, colorScheme] of [[1440, "light"], [360, "dark"]] as const) {
  Deno.test(`an editor sees a gap, writes the answer and asks again (${width} px, ${colorScheme})`, async () => {
    await using fixture = await withQuestions();
    const { service } = fixture.on;
    const context = await ownerContext(service);
    await withBrowser(async (browser) => {
      const options = { browser, width, colorScheme, baseUrl: service.url, context };
      await withPage(options, async (page) => {
        await visit(page, "/unanswered");
        await expectAccessible(page);
        const rows = page.getByRole("list", { name: "Unanswered questions" }).getByRole("listitem");
        assertEquals(await rows.count(), 2);
        await rows.first().getByRole("link", { name: /caravan/ }).click();
        await page.getByRole("heading", { name: "Write the answer" }).waitFor();
        await alive(page);
        await expectAccessible(page);
        await page.getByRole("textbox", { name: "Answer" }).fill(
          "Caravans may park behind the shop. Parking a caravan costs five euros a night.",
        );
        await page.getByRole("button", { name: "Add to knowledge" }).click();
        await page.getByText("Answer added to the knowledge base.").waitFor();
        await service.service.documents.whenIdle();
        await page.getByRole("button", { name: "Ask again" }).click();
        await page.getByText("The answer helped: the agent finds it.").waitFor();
        assertEquals(await page.getByText("Your answer was found").count(), 2);
        await alive(page);
        await expectAccessible(page);
        await page.getByRole("link", { name: "Unanswered" }).first().click();
        await page.getByRole("link", { name: /founded/ }).click();
        await page.getByRole("button", { name: "Dismiss" }).click();
        await page.getByText("No unanswered questions").waitFor();
      });
    });
  });
}

for (const width of [1440, 360]) {
  Deno.test(`a long word as a question and as a title is no wider than the window (${width} px)`, async () => {
    await using fixture = await withQuestions();
    const { service } = fixture.on;
    await fixture.ask("Donaudampfschifffahrtsgesellschaft".repeat(10));
    const context = await ownerContext(service);
    await withPage({ width, baseUrl: service.url, context }, async (page) => {
      await visit(page, "/unanswered");
      await expectAccessible(page);
      await page.getByRole("link", { name: /Donaudampf/ }).click();
      await page.getByRole("textbox", { name: "Answer" }).fill("It was founded in 1829.");
      await page.getByRole("button", { name: "Add to knowledge" }).click();
      await page.getByText("Answer added to the knowledge base.").waitFor();
      await service.service.documents.whenIdle();
      await page.getByRole("button", { name: "Ask again" }).click();
      await page.getByText("The answer did not help with most questions.").waitFor();
      await page.getByRole("heading", { name: "Write the answer" }).waitFor();
      await alive(page);
      await expectAccessible(page);
    });
  });
}

Deno.test("without scripts and with the keyboard, an editor writes an answer and asks again", async () => {
  await using fixture = await withQuestions();
  const { service } = fixture.on;
  const context = { ...await ownerContext(service), javaScriptEnabled: false };
  await withPage({ baseUrl: service.url, context }, async (page) => {
    const press = (name: string) => page.getByRole("button", { name }).press("Enter");
    await page.goto("/unanswered");
    await page.getByLabel("Reason").selectOption("Nothing found");
    await press("Apply");
    await page.waitForURL(/reason=nothing_found/);
    await page.getByRole("link", { name: /caravan/ }).press("Enter");
    await page.getByRole("textbox", { name: "Answer" }).fill(
      "Caravans may park behind the shop. Parking a caravan costs five euros a night.",
    );
    await press("Add to knowledge");
    await page.getByText("Answer added to the knowledge base.").waitFor();
    // The page shows itself again every 5 s.
    await press("Ask again");
    await page.getByText("The answer helped: the agent finds it.").waitFor();
    assertEquals(await page.getByRole("button", { name: "Add to knowledge" }).count(), 0);
  });
});
