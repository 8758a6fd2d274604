/** A sign-in that ends while somebody edits an agent costs nothing of what they have typed. */
import { assertEquals } from "@std/assert";
import type { Page } from "playwright-core";
import { alive, visit, withPage } from "./support/browser.ts";
import { Dashboard, PASSWORD } from "./support/dashboard.ts";
import { ownerContext } from "./support/owner.ts";
import { agentBody, TestService } from "./support/service.ts";

const OWNER = "owner@example.com";

/** On the sign-in page; resolves on the page that it leads to. */
async function signIn(page: Page, email: string): Promise<void> {
  await page.getByLabel("Email").fill(email);
  await page.getByLabel("Password").fill(PASSWORD);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByLabel("System prompt").waitFor();
  await alive(page);
}

Deno.test("the editor: what is typed survives a sign-in that has ended, and nobody else sees it", async (t) => {
  await using service = await TestService.start();
  const { agents } = service.service;
  const tenant = await service.tenant();
  const { id } = await agents.create(tenant, agentBody());
  const path = `/agents/${id}`;
  const options = { baseUrl: service.url, context: await ownerContext(service) };
  await Dashboard.join(service, "admin");
  await withPage(options, async (page) => {
    const dialogs: string[] = [];
    page.on("dialog", (dialog) => (dialogs.push(dialog.type()), void dialog.accept()));
    const prompt = page.getByLabel("System prompt");
    const bringBack = page.getByRole("button", { name: "Restore" });
    const save = page.getByRole("button", { name: "Save changes" });
    await t.step("while typing it is told, with a link that loses nothing", async () => {
      await visit(page, path);
      await page.context().clearCookies();
      await prompt.fill("Typed after");
      await page.getByRole("alert").getByText("You are signed out.").waitFor();
      await prompt.fill("Typed after the end.");
      await page.getByRole("link", { name: "Sign in" }).click();
      await signIn(page, OWNER);
      assertEquals(dialogs, []);
      assertEquals(page.url(), service.url + path);
      await bringBack.click();
      assertEquals(await prompt.inputValue(), "Typed after the end.");
      await save.click();
      await page.getByText("Changes saved.").waitFor();
      assertEquals((await agents.get(tenant, id)).systemPrompt, "Typed after the end.");
    });
    await t.step("of a save only one's own changes come back, over a colleague's", async () => {
      await visit(page, path);
      await agents.patch(tenant, id, { patch: { name: "A colleague's name" } });
      await prompt.fill("Saved too late.");
      await page.context().clearCookies();
      await save.click();
      await page.getByText("You were signed out. Sign in to continue.").waitFor();
      await signIn(page, OWNER);
      await bringBack.click();
      await save.click();
      await page.getByText("Changes saved.").waitFor();
      const { name, systemPrompt } = await agents.get(tenant, id);
      assertEquals([name, systemPrompt], ["A colleague's name", "Saved too late."]);
    });
    await t.step("somebody else who signs in in this tab is offered nothing", async () => {
      await visit(page, path);
      await prompt.fill("Nobody else's business.");
      await page.context().clearCookies();
      await save.click();
      await signIn(page, "admin@example.com");
      assertEquals(await page.locator(".guard").innerText(), "");
      assertEquals(await page.evaluate("sessionStorage.length"), 0);
      assertEquals(await prompt.inputValue(), "Saved too late.");
    });
  });
});
