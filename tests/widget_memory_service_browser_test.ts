/** What an agent remembers, in the widget on the real service: needs the branches `memory` and `widgetcalls`. */
import { assertEquals } from "@std/assert";
import { onRealSite } from "./support/real_site.ts";

Deno.test("widget: what the agent remembers of its visitor is edited and deleted on the service", async () => {
  const options = { agent: { memory: { enabled: true } }, visitor: { id: "ada" } };
  await onRealSite(options, async ({ page, held, console }) => {
    held.release();
    const button = (name: string) => page.getByRole("button", { name, exact: true });
    const sheet = page.getByRole("group", { name: "What I remember" });
    await button("Open chat").click();
    await page.getByRole("textbox").fill(`use remember with {"fact":"Likes tea."}`);
    await page.keyboard.press("Enter");
    await button("Good answer").waitFor();
    await button("More").click();
    await button("What I remember").click();
    await button("Edit: Likes tea.").click();
    await sheet.getByRole("textbox").fill("Likes coffee.");
    await page.keyboard.press("Enter");
    await sheet.getByText("Likes coffee.").waitFor();
    await button("Delete all").click();
    await button("Really delete?").click();
    await sheet.getByText("Nothing yet.").waitFor();
    assertEquals(console.filter(({ type }) => type === "error"), []);
  });
});
