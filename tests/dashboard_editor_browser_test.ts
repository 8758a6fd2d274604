/** The agent editor in a real browser: two people at one agent, going back, and where the focus goes. */
import { assert, assertEquals, assertMatch } from "@std/assert";
import type { Page } from "playwright-core";
import { alive, visit, withPage } from "./support/browser.ts";
import { ownerContext } from "./support/owner.ts";
import { agentBody, TestService } from "./support/service.ts";

Deno.test("the editor: nothing of somebody else is undone or doubled, and the focus is never lost", async (t) => {
  await using service = await TestService.start();
  const { agents } = service.service;
  const tenant = await service.tenant();
  const { id } = await agents.create(tenant, agentBody());
  const path = `/agents/${id}`;
  const change = (patch: object) => agents.patch(tenant, id, { patch });
  const options = { baseUrl: service.url, context: await ownerContext(service) };
  await withPage(options, async (page) => {
    page.on("dialog", (dialog) => void dialog.accept());
    const name = page.getByLabel("Name", { exact: true });
    const prompt = page.getByLabel("System prompt");
    const save = () => page.getByRole("button", { name: "Save changes" }).click();
    await t.step("of a save that came too late only one's own changes come back", async () => {
      await visit(page, path);
      await change({ systemPrompt: "A colleague's prompt." });
      await name.fill("My name");
      await save();
      await page.getByRole("link", { name: "Open current version" }).click();
      await page.getByRole("button", { name: "Restore" }).click();
      assertEquals(await prompt.inputValue(), "A colleague's prompt.");
      assertMatch(await focused(page), /^Restored: Name\.$/);
      await save();
      await page.getByText("Changes saved.").waitFor();
      const { name: stored, systemPrompt } = await agents.get(tenant, id);
      assertEquals([stored, systemPrompt], ["My name", "A colleague's prompt."]);
    });
    await t.step(
      "a field that both have changed is named, also after a second refusal",
      async () => {
        await visit(page, path);
        await change({ systemPrompt: "Theirs." });
        await prompt.fill("Mine.");
        await save();
        await page.getByRole("link", { name: "View their changes (new tab)" }).waitFor();
        await alive(page);
        await name.fill("Second thought");
        await save();
        await page.getByRole("link", { name: "Open current version" }).click();
        await page.getByRole("button", { name: "Restore" }).click();
        assertMatch(await focused(page), /Someone else also changed System prompt\./);
        assertEquals([await name.inputValue(), await prompt.inputValue()], [
          "Second thought",
          "Mine.",
        ]);
        await save();
        await page.getByText("Changes saved.").waitFor();
      },
    );
    await t.step("going back to the form of an agent that is made finds it empty", async () => {
      await visit(page, "/agents/new");
      await name.fill("Made once");
      await prompt.fill("Be brief.");
      await page.getByRole("button", { name: "Create agent" }).click();
      await page.waitForURL(/agents\/[0-9a-f-]{36}/);
      await alive(page);
      await page.goBack();
      await alive(page);
      await page.waitForFunction(() => !document.querySelector<HTMLInputElement>("#name")?.value);
      assertEquals(await page.locator(".guard").innerText(), "");
    });
    await t.step(
      "a tool that is added is open and has the focus, which removing it passes on",
      async () => {
        await visit(page, path);
        await page.getByRole("button", { name: "Add HTTP tool" }).click();
        await page.waitForFunction(() => document.activeElement?.id === "tool-0-name");
        assert(await page.locator("#tool-0-name").isVisible());
        await page.getByRole("button", { name: /^Remove tool/ }).click();
        await page.waitForFunction(() => document.activeElement?.textContent === "Add HTTP tool");
      },
    );
    await t.step(
      "the message box stays on the screen, and has what could not be asked",
      async () => {
        await visit(page, path);
        const message = page.getByLabel("Message");
        await message.fill("long ".repeat(400));
        await message.press("Enter");
        await page.locator(".turn-facts").waitFor();
        await page.evaluate(() => scrollTo(0, 0));
        const below = await page.locator(".composer").evaluate((box) =>
          box.getBoundingClientRect().bottom - innerHeight
        );
        assert(below <= 0, `${below} px below the screen`);
        await page.getByRole("button", { name: "Send", exact: true }).waitFor();
        await page.context().clearCookies();
        await message.fill("Am I signed out?");
        await message.press("Enter");
        await page.getByText("You are signed out.").waitFor();
        assertEquals(await message.inputValue(), "Am I signed out?");
      },
    );
  });
});

/** What has the focus once what was pressed has been drawn. */
async function focused(page: Page): Promise<string> {
  await alive(page);
  return await page.evaluate(() => document.activeElement?.textContent ?? "");
}
