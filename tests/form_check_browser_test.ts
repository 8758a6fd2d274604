/** The page's own validation messages instead of the browser's, by mouse and keyboard. */
import { assert, assertEquals } from "@std/assert";
import { withPage } from "./support/browser.ts";
import { ownerContext } from "./support/owner.ts";
import { TestService } from "./support/service.ts";

Deno.test("forms: an empty submission names each field beside it and above, focuses the first, and sends nothing", async () => {
  await using service = await TestService.start();
  const context = await ownerContext(service);
  await withPage({ baseUrl: service.url, context }, async (page) => {
    const posts: string[] = [];
    page.on("request", (request) => {
      if (request.method() === "POST") posts.push(request.url());
    });
    await page.goto("/agents/new", { waitUntil: "networkidle" });
    await page.getByRole("button", { name: "Create agent" }).click();
    const summary = page.getByRole("alert");
    await summary.getByText("Couldn't save. Fix: Name, System prompt.").waitFor();
    const name = page.getByLabel("Name", { exact: true });
    assertEquals(await name.evaluate((control) => control === document.activeElement), true);
    assertEquals(await name.getAttribute("aria-invalid"), "true");
    const note = await name.getAttribute("aria-describedby");
    assertEquals(await page.locator(`#${note!.split(" ")[0]}`).innerText(), "Name is required.");

    await name.fill("Helper");
    assertEquals(await name.getAttribute("aria-invalid"), null);
    assert(!(await page.locator("main").innerText()).includes("Name is required."));
    await summary.getByRole("link", { name: "System prompt" }).click();
    await page.keyboard.type("Help.");
    assertEquals(await page.getByLabel("System prompt").inputValue(), "Help.");
    assertEquals(posts.filter((url) => !url.includes("/agents/check")), []);
  });
});

Deno.test("forms: leaving an edited field shows its message, an untouched one stays quiet", async () => {
  await using service = await TestService.start();
  const context = await ownerContext(service);
  await withPage({ baseUrl: service.url, context }, async (page) => {
    await page.goto("/team/invite", { waitUntil: "networkidle" });
    const email = page.getByLabel("Email");
    await email.focus();
    await page.keyboard.press("Tab");
    assertEquals(await page.locator(".field-error").count(), 0);
    await email.fill("nonsense");
    await page.keyboard.press("Tab");
    await page.getByText("Enter an email address, like name@example.com.").waitFor();
    await email.fill("kim@example.com");
    assertEquals(await page.locator(".field-error").count(), 0);
  });
});
