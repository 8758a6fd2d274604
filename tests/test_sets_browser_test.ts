/** Test sets in a real browser, with axe in both themes. */
import { assert, assertEquals } from "@std/assert";
import { visit, withBrowser, withPage } from "./support/browser.ts";
import { openConversations } from "./support/conversations.ts";
import { readFrames } from "./support/frames.ts";
import { expectAccessible } from "./support/expect_accessible.ts";
import { ownerContext } from "./support/owner.ts";
import { byKey, say } from "./support/widget_calls.ts";

const LINES = [
  { question: "Where is it?", expectations: [{ type: "not_contains", text: "xylophone" }] },
  { question: "And when?", expectations: [], name: "Any answer" },
].map((line) => JSON.stringify(line)).join("\n");

for (const [width, colorScheme] of [[1440, "light"], [360, "dark"]] as const) {
  Deno.test(`an editor makes a case of an answer, imports others, runs and compares (${width} px, ${colorScheme})`, async () => {
    await using on = await openConversations();
    const { service, agent, key } = on;
    const body = { agentId: agent.id, messages: [say("May I return the order?")] };
    const [first] = await readFrames(await byKey(service, { key, body }));
    assert(first?.frame.type === "start");
    const { conversationId } = first.frame;
    const context = await ownerContext(service);
    await withBrowser(async (browser) => {
      const options = { browser, width, colorScheme, baseUrl: service.url, context };
      await withPage(options, async (page) => {
        const click = (name: string) => page.getByRole("button", { name, exact: true }).click();
        await visit(page, "/test-sets");
        await page.getByText("No test sets yet").waitFor();
        await expectAccessible(page);

        await visit(page, `/conversations/${conversationId}`);
        await page.getByRole("link", { name: "Add to a test set" }).click();
        await page.getByLabel("Name").fill("Returns");
        await expectAccessible(page);
        await click("Create");
        await page.getByText("Added to the test set.").waitFor();
        assertEquals(
          await page.getByRole("textbox", { name: "Question", exact: true }).inputValue(),
          "May I return the order?",
        );
        await page.getByLabel("The answer").first().selectOption({ label: "Contains a text" });
        await page.getByLabel("Text, title, tool or minimum score").first().fill("thirty days");
        await expectAccessible(page);
        await click("Save");
        await page.getByText("Case saved.").waitFor();

        await page.getByRole("link", { name: "Returns" }).first().click();
        await page.getByText("Import cases").click();
        await page.getByLabel("Lines of JSON").fill(`${LINES}\n{"question":""}`);
        await click("Import");
        await page.getByText("Line 3:").first().waitFor();
        await expectAccessible(page);
        await page.getByLabel("Lines of JSON").fill(LINES);
        await click("Import");
        await page.getByText("Cases added.").waitFor();
        assertEquals(
          await page.getByRole("list", { name: "Cases" }).getByRole("listitem").count(),
          3,
        );
        await expectAccessible(page);

        await click("Run the tests");
        await page.getByText("2 (67%), 100% required").waitFor();
        await page.getByText("the answer does not contain it").waitFor();
        await expectAccessible(page);
        await page.getByRole("link", { name: "Open the case" }).click();
        await page.getByLabel("Text, title, tool or minimum score").first().fill("e");
        await click("Save");
        await page.getByText("Case saved.").waitFor();
        await page.getByRole("link", { name: "Returns" }).first().click();
        await click("Run the tests");
        await page.getByText("3 (100%), 100% required").waitFor();
        await page.getByRole("heading", { name: "Newly passing" }).waitFor();
        await page.getByRole("link", { name: "Show all results" }).click();
        await page.getByRole("heading", { name: "All results" }).waitFor();
        assertEquals(await page.getByRole("article").count(), 3);
        await expectAccessible(page);

        // With a set, it is one click.
        await visit(page, `/conversations/${conversationId}`);
        await click("Add to test set Returns");
        await page.getByText("Added to the test set.").waitFor();
        await click("Delete case");
        await page.getByText("Case deleted.").waitFor();
        const { testSets } = service.service;
        const { data: [set] } = await testSets.list(await service.tenant(), { limit: 10 });
        assertEquals(set!.cases, 3);
      });
    });
  });
}
