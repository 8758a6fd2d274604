/** A session that ends while a user edits an agent does not lose their input. */
import { assertEquals } from "@std/assert";
import type { Page } from "playwright-core";
import { alive, visit, withPage } from "./support/browser.ts";
import { Dashboard, PASSWORD } from "./support/dashboard.ts";
import { ownerContext } from "./support/owner.ts";
import { agentBody, TestService } from "./support/service.ts";

const OWNER = "owner@example.com";

/** Signs in on the sign-in page and waits for the editor that it leads to. */
async function signIn(page: Page, email: string): Promise<void> {
  await page.getByLabel("Email").fill(email);
  await page.getByLabel("Password").fill(PASSWORD);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByLabel("System prompt").waitFor();
  await alive(page);
}

Deno.test("the editor: input survives the end of the session, and no other user sees it", async (t) => {
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
    const restore = page.getByRole("button", { name: "Restore" });
    const save = page.getByRole("button", { name: "Save changes" });
    await t.step(
      "while typing, an alert says so, with a sign-in link that keeps the input",
      async () => {
        await visit(page, path);
        await page.context().clearCookies();
        await prompt.fill("Typed after");
        await page.getByRole("alert").getByText("You are signed out.").waitFor();
        await prompt.fill("Typed after the end.");
        await page.getByRole("link", { name: "Sign in" }).click();
        await signIn(page, OWNER);
        assertEquals(dialogs, []);
        assertEquals(page.url(), service.url + path);
        await restore.click();
        assertEquals(await prompt.inputValue(), "Typed after the end.");
        await save.click();
        await page.getByText("Changes saved.").waitFor();
        assertEquals((await agents.get(tenant, id)).systemPrompt, "Typed after the end.");
      },
    );
    await t.step(
      "restoring a failed save brings back the user's own changes and keeps a colleague's",
      async () => {
        await visit(page, path);
        await agents.patch(tenant, id, { patch: { name: "A colleague's name" } });
        await prompt.fill("Saved too late.");
        await page.context().clearCookies();
        await save.click();
        await page.getByText("You were signed out. Sign in to continue.").waitFor();
        await signIn(page, OWNER);
        await restore.click();
        await save.click();
        await page.getByText("Changes saved.").waitFor();
        const { name, systemPrompt } = await agents.get(tenant, id);
        assertEquals([name, systemPrompt], ["A colleague's name", "Saved too late."]);
      },
    );
    await t.step("another user who signs in in the same tab is not offered the draft", async () => {
      await visit(page, path);
      await prompt.fill("A private draft.");
      await page.context().clearCookies();
      await save.click();
      await signIn(page, "admin@example.com");
      assertEquals(await page.locator(".guard").innerText(), "");
      assertEquals(await page.evaluate("sessionStorage.length"), 0);
      assertEquals(await prompt.inputValue(), "Saved too late.");
    });
  });
});
