/** The agent editor in a real browser: concurrent edits, browser back, and focus. */
import { assert, assertEquals } from "@std/assert";
import { alive, visit, withPage } from "./support/browser.ts";
import { ownerContext } from "./support/owner.ts";
import { agentBody, TestService } from "./support/service.ts";

Deno.test("the editor: keeps other people's changes, creates nothing twice and never loses the focus", async (t) => {
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
    await t.step(
      "restoring a conflicting save brings back only the user's own changes",
      async () => {
        await visit(page, path);
        await change({ systemPrompt: "A colleague's prompt." });
        await name.fill("My name");
        await save();
        await page.getByRole("link", { name: "Open current version" }).click();
        await page.getByText("Restored your unsaved changes").waitFor();
        assertEquals(await prompt.inputValue(), "A colleague's prompt.");
        assertEquals(await page.locator(".guard .help").innerText(), "Name");
        await save();
        await page.getByText("Changes saved.").waitFor();
        const { name: stored, systemPrompt } = await agents.get(tenant, id);
        assertEquals([stored, systemPrompt], ["My name", "A colleague's prompt."]);
      },
    );
    await t.step(
      "a field that both users changed is named, also after a second conflict",
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
        await page.getByText("Someone else also changed System prompt.").waitFor();
        assertEquals([await name.inputValue(), await prompt.inputValue()], [
          "Second thought",
          "Mine.",
        ]);
        await save();
        await page.getByText("Changes saved.").waitFor();
      },
    );
    await t.step("going back after creating an agent shows an empty form", async () => {
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
      "a new tool is open and focused, and removing it focuses the add button",
      async () => {
        await visit(page, `${path}/tools`);
        await page.getByRole("button", { name: "Add HTTP tool" }).click();
        await page.waitForFunction(() => document.activeElement?.id === "tool-0-name");
        assert(await page.locator("#tool-0-name").isVisible());
        await page.getByRole("button", { name: /^Remove tool/ }).click();
        await page.waitForFunction(() => document.activeElement?.textContent === "Add HTTP tool");
      },
    );
    await t.step(
      "the message box stays on the screen, and keeps a message that could not be sent",
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
