/** A session that ends while a user edits an agent does not lose their input. */
import { assertEquals } from "@std/assert";
import type { Page } from "playwright-core";
import { systemRuntime } from "@/lib/platform/runtime.ts";
import { SIGN_IN_TTL_MS } from "@/lib/store/users/sign_in_store.ts";
import { alive, visit, withPage } from "./support/browser.ts";
import { Dashboard, PASSWORD } from "./support/dashboard.ts";
import { OWNER, ownerContext } from "./support/owner.ts";
import { agentBody, TestService } from "./support/service.ts";

const RESTORED = "Restored your unsaved changes";

/** Signs in on the sign-in page and waits for the editor that it leads to. */
async function signIn(page: Page, email: string): Promise<void> {
  await page.getByLabel("Email").fill(email);
  await page.getByLabel("Password").fill(PASSWORD);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByLabel("System prompt").waitFor();
  await alive(page);
}

Deno.test("the editor: input survives the end of the session, and no other user sees it", async (t) => {
  let ahead = 0;
  const runtime = { now: () => systemRuntime.now() + ahead };
  await using service = await TestService.start({ runtime });
  /** The sign-in ends when it was not used for long enough. */
  const expire = () => ahead += SIGN_IN_TTL_MS + 1;
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
    const save = page.getByRole("button", { name: "Save changes" });
    const discard = page.getByRole("button", { name: "Discard" });
    await t.step(
      "while typing, an alert says so, with a sign-in link that keeps the input",
      async () => {
        await visit(page, path);
        expire();
        await prompt.fill("Typed after");
        await page.getByRole("alert").getByText("You are signed out.").waitFor();
        await prompt.fill("Typed after the end.");
        await page.getByRole("link", { name: "Sign in" }).click();
        await signIn(page, OWNER.email);
        assertEquals(dialogs, []);
        assertEquals(page.url(), service.url + path);
        await page.getByText(RESTORED).waitFor();
        assertEquals(await prompt.inputValue(), "Typed after the end.");
        await save.click();
        await page.getByText("Changes saved.").waitFor();
        assertEquals((await agents.get(tenant, id)).systemPrompt, "Typed after the end.");
      },
    );
    await t.step(
      "a save that meets the end brings the changes back after signing in, and a colleague's stay",
      async () => {
        await visit(page, path);
        await agents.patch(tenant, id, { patch: { name: "A colleague's name" } });
        await prompt.fill("Saved too late.");
        expire();
        await save.click();
        await page.getByText("Sign in to continue.").waitFor();
        await signIn(page, OWNER.email);
        await page.getByText(RESTORED).waitFor();
        assertEquals(page.url(), service.url + path);
        assertEquals(await prompt.inputValue(), "Saved too late.");
        await save.click();
        await page.getByText("Changes saved.").waitFor();
        const { name, systemPrompt } = await agents.get(tenant, id);
        assertEquals([name, systemPrompt], ["A colleague's name", "Saved too late."]);
      },
    );
    await t.step("a lost page brings them back too, until they are discarded", async () => {
      await visit(page, path);
      await prompt.fill("Lost with the page.");
      await page.goto("about:blank");
      await visit(page, path);
      await page.getByText(RESTORED).waitFor();
      assertEquals(await prompt.inputValue(), "Lost with the page.");
      await discard.click();
      assertEquals(await prompt.inputValue(), "Saved too late.");
      await visit(page, path);
      assertEquals(await page.getByText(RESTORED).count(), 0);
      assertEquals(await prompt.inputValue(), "Saved too late.");
      assertEquals((await agents.get(tenant, id)).systemPrompt, "Saved too late.");
    });
    await t.step("another user who signs in in the same tab does not get the draft", async () => {
      await prompt.fill("A private draft.");
      expire();
      await save.click();
      await signIn(page, "admin@example.com");
      assertEquals(await page.locator(".guard").innerText(), "");
      assertEquals(await page.evaluate("sessionStorage.length"), 0);
      assertEquals(await prompt.inputValue(), "Saved too late.");
    });
  });
});

Deno.test("the editor: Ctrl+S saves what was typed, and sends nothing if nothing changed", async () => {
  await using service = await TestService.start();
  const { agents } = service.service;
  const tenant = await service.tenant();
  const { id } = await agents.create(tenant, agentBody());
  const options = { baseUrl: service.url, context: await ownerContext(service) };
  await withPage(options, async (page) => {
    const posts: string[] = [];
    page.on("request", (request) => {
      if (request.isNavigationRequest() && request.method() === "POST") posts.push(request.url());
    });
    const path = `/agents/${id}`;
    await visit(page, path);
    await page.keyboard.press("Control+s");
    await alive(page);
    assertEquals(posts, []);
    await page.getByLabel("System prompt").fill("Saved by a key.");
    await page.keyboard.press("Control+s");
    await page.getByText("Changes saved.").waitFor();
    assertEquals((await agents.get(tenant, id)).systemPrompt, "Saved by a key.");
    await visit(page, `${path}/tools`);
    await page.getByLabel("Allowed domains").fill("mcp.example.com");
    await page.getByRole("button", { name: "Add MCP server" }).click();
    // The panel's field reports its value when the focus leaves it, which the key sees to.
    await page.getByLabel("Server name").fill("orders");
    await page.keyboard.press("Meta+s");
    await page.getByText("Changes saved.").waitFor();
    const { tools, allowedDomains } = await agents.get(tenant, id);
    assertEquals([tools[0]?.name, allowedDomains], ["orders", ["mcp.example.com"]]);
    assertEquals(posts, [path, `${path}/tools`].map((at) => service.url + at));
  });
});
