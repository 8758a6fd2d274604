/** An agent's appearance in a real browser: the widget on a site, the preview, and the hosted page. */
import axe from "axe-core";
import { assert, assertEquals } from "@std/assert";
import type { Page } from "playwright-core";
import { ProviderService } from "./support/provider_service.ts";
import { MockProviders } from "./support/mock_providers/mock_providers.ts";
import { withBrowser } from "./support/browser.ts";
import { ownerContext } from "./support/owner.ts";
import { atRest, onSite } from "./support/widget_site.ts";

/** Of the page at rest: while something fades in, its contrast is that of the moment. */
async function violations(page: Page): Promise<unknown[]> {
  await atRest(page);
  const found = await page.evaluate(`(() => { ${axe.source}; return axe.run(); })()`) as {
    violations: { id: string; nodes: { html: string; failureSummary: string }[] }[];
  };
  return found.violations.map(({ id, nodes }) => [id, nodes[0]?.html, nodes[0]?.failureSummary]);
}

Deno.test("widget: shows the agent's appearance without a change of the tag, and attributes win", async () => {
  const appearance = {
    title: "Shop help",
    avatar: "S",
    accent: "#5b3fc4",
    position: "left",
    greeting: "Good day!",
    suggestions: ["Where is my order?"],
    lang: "de",
    privacyText: "Kept for 30 days.",
    privacyUrl: "https://shop.example/privacy",
  };
  await onSite({ appearance, attributes: `data-title="Ask us"` }, async ({ page, console }) => {
    await page.getByRole("button", { name: "Chat öffnen Ask us" }).click();
    const panel = page.getByRole("dialog", { name: "Ask us" });
    await panel.getByText("Good day!").waitFor();
    assert(await panel.getByRole("button", { name: "Where is my order?" }).isVisible());
    const link = panel.getByRole("link", { name: "Kept for 30 days." });
    assertEquals(await link.getAttribute("href"), "https://shop.example/privacy");
    assertEquals(await panel.locator(".mark").first().innerText(), "S");
    const box = (await page.locator("service-widget .launcher").boundingBox())!;
    assert(box.x < 100, "at the left");
    const color = await page.locator("service-widget .launcher")
      .evaluate((launcher) => getComputedStyle(launcher).backgroundColor);
    assertEquals(color, "rgb(91, 63, 196)");
    assertEquals(await violations(page), []);
    assertEquals(console.filter(({ type }) => type === "error"), []);
  });
});

Deno.test("widget: stores nothing of the appearance, and a new session brings a change", async () => {
  const mint = () => ({
    sessionToken: "cs_0123456789abcdef",
    expiresAt: new Date(Date.now() + 15 * 60_000).toISOString(),
    messageCap: 50,
    appearance: { title: "New name", avatar: "N" },
  });
  const options = {
    appearance: { title: "Old name" },
    attributes: `data-session-endpoint="/mint"`,
  };
  await onSite({ ...options, mint }, async ({ page, chat }) => {
    await page.getByRole("button", { name: "Open chat Old name" }).click();
    assertEquals(await page.evaluate(() => sessionStorage.length + localStorage.length), 0);
    await page.getByRole("textbox").fill("Hello?");
    await page.getByRole("textbox").press("Enter");
    await page.getByRole("heading", { name: "New name" }).waitFor();
    chat.say("A whole answer.");
    chat.done();
    const answer = page.locator(".turn:not(.mine)");
    await answer.locator(".after").waitFor();
    await atRest(page);
    const [mark, bubble] = await Promise.all(
      [".mark", ".bubble"].map((part) => answer.locator(part).boundingBox()),
    );
    assert(mark!.x + mark!.width <= bubble!.x, "the avatar stands beside the answer");
    assert(Math.abs(mark!.y - bubble!.y) < 20, "at its first line");
    assertEquals(await violations(page), []);
  });
});

Deno.test("/agents/:id/appearance: the preview is the widget, follows the form, and saving needs no new tag", async () => {
  await using mock = await MockProviders.start();
  await using on = await ProviderService.start(mock);
  const { service } = on;
  const agent = await on.agent("vendor_a", { name: "Shop assistant" });
  const context = await ownerContext(service);
  await withBrowser(async (browser) => {
    for (
      const [colorScheme, title] of [["light", "Shop assistant"], ["dark", "Garden help"]] as const
    ) {
      const signedIn = await browser.newContext({
        ...{
          ...context,
          baseURL: service.url,
          colorScheme,
          viewport: { width: 1440, height: 900 },
        },
      });
      const page = await signedIn.newPage();
      await page.goto(`/agents/${agent.id}/appearance`);
      const preview = page.frameLocator("iframe");
      const panel = preview.getByRole("dialog");
      await panel.getByRole("heading", { name: title }).waitFor();
      assertEquals(await violations(page), [], colorScheme);
      await page.setViewportSize({ width: 360, height: 740 });
      const wide = await page.evaluate(() => document.documentElement.scrollWidth);
      assert(wide <= 360, `${wide} px wide`);
      await page.setViewportSize({ width: 1440, height: 900 });
      await page.getByLabel("Title").fill("Garden help");
      await panel.getByRole("heading", { name: "Garden help" }).waitFor();
      await page.getByLabel("Suggested questions").fill("Which soil?\nWhen to plant?");
      await panel.getByRole("button", { name: "When to plant?" }).waitFor();
      await page.getByRole("button", { name: "Violet" }).click();
      await page.waitForFunction(() => {
        const frame = document.querySelector("iframe")!.contentDocument!;
        const mark = frame.querySelector("service-widget")!.shadowRoot!.querySelector(".mark")!;
        return getComputedStyle(mark).backgroundColor === "rgb(91, 63, 196)";
      });
      // The example page is wide enough for the launcher and a panel beside the page's content.
      assert(await preview.locator("service-widget .launcher").isVisible());
      await page.getByRole("button", { name: "Phone" }).click();
      await preview.locator("service-widget .launcher").waitFor({ state: "hidden" });
      await page.getByRole("button", { name: "Dark", exact: true }).click();
      await preview.locator("service-widget .w.dark").waitFor({ state: "attached" });
      assertEquals(await violations(page), [], `${colorScheme}, phone`);
      await panel.getByRole("button", { name: "Which soil?" }).click();
      await panel.getByRole("log").getByText("Hello there.").waitFor();
      await page.getByRole("button", { name: "Save changes" }).click();
      await page.getByText("Changes saved.").waitFor();
      await panel.getByRole("heading", { name: "Garden help" }).waitFor();
      await signedIn.close();
    }
  });
  const stored = await service.service.agents.get(await service.tenant(), agent.id);
  assertEquals(stored.appearance, {
    title: "Garden help",
    accent: "#5b3fc4",
    suggestions: ["Which soil?", "When to plant?"],
  });
});

Deno.test("/agents/:id/appearance: an uploaded image becomes a small avatar, or a wide logo", async () => {
  await using mock = await MockProviders.start();
  await using on = await ProviderService.start(mock);
  const { service } = on;
  const agent = await on.agent("vendor_a", { name: "Shop assistant" });
  const context = await ownerContext(service);
  await withBrowser(async (browser) => {
    const signedIn = await browser.newContext({ ...context, baseURL: service.url });
    const page = await signedIn.newPage();
    await page.goto(`/agents/${agent.id}/appearance`);
    const upload = page.locator("input[type=file]").first();
    await upload.setInputFiles({
      ...{ name: "a.png", mimeType: "image/png", buffer: Buffer.from("no image") },
    });
    await page.getByText("This file is not an image").waitFor();
    const photo = await page.screenshot({ type: "png" });
    await upload.setInputFiles({ name: "photo.png", mimeType: "image/png", buffer: photo });
    await page.getByText("Image chosen").waitFor();
    await page.frameLocator("iframe").locator("img.avatar").first().waitFor();
    const wide = await page.screenshot({ clip: { x: 0, y: 0, width: 800, height: 100 } });
    const logo = { name: "logo.png", mimeType: "image/png", buffer: wide };
    await page.getByLabel("Upload logo").setInputFiles(logo);
    await page.getByText("Logo chosen").waitFor();
    const size = await page.locator("input[name=logo]").evaluate(async (input) => {
      // The dashboard's policy loads no images from `data:` addresses.
      const base64 = (input as HTMLInputElement).value.split(",")[1]!;
      const bytes = Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));
      const { width, height } = await createImageBitmap(new Blob([bytes]));
      return [width, height];
    });
    assertEquals(size, [400, 50]);
    await page.getByRole("button", { name: "Save changes" }).click();
    await page.getByText("Changes saved.").waitFor();
    await signedIn.close();
  });
  const stored = await service.service.agents.get(await service.tenant(), agent.id);
  assert(stored.appearance?.avatar?.startsWith("data:image/webp;base64,"));
  assert(stored.appearance?.logo?.startsWith("data:image/webp;base64,"));
});

Deno.test("/agents/:id/appearance: says what is invalid while typing, keeps drafts, discards, and saves with Ctrl S", async () => {
  await using mock = await MockProviders.start();
  await using on = await ProviderService.start(mock);
  const { service } = on;
  const agent = await on.agent("vendor_a", { name: "Shop assistant" });
  const context = await ownerContext(service);
  await withBrowser(async (browser) => {
    const signedIn = await browser.newContext({ ...context, baseURL: service.url });
    const page = await signedIn.newPage();
    const path = `/agents/${agent.id}/appearance`;
    await page.goto(path, { waitUntil: "networkidle" });
    const color = page.getByRole("textbox", { name: "Color", exact: true });
    const heading = page.frameLocator("iframe").getByRole("dialog").getByRole("heading");
    await color.fill("purple");
    await page.getByText("Enter a color such as #0d6e63.").waitFor();
    await page.getByText("1 field needs attention").waitFor();
    const photo = await page.screenshot({ type: "png" });
    const file = { name: "photo.png", mimeType: "image/png", buffer: photo };
    await page.locator("input[type=file]").first().setInputFiles(file);
    await page.getByText("Image chosen").waitFor();
    await page.getByRole("button", { name: "Discard" }).click();
    await page.getByText("Image chosen").waitFor({ state: "detached" });
    assertEquals(await color.inputValue(), "");
    assertEquals(await page.getByLabel("Avatar").inputValue(), "");
    await page.getByLabel("Title").fill("Garden help");
    await heading.getByText("Garden help").waitFor();
    await page.waitForFunction(
      (key) => sessionStorage.getItem(key) !== null,
      `agent-draft ${path}`,
    );
    page.on("dialog", (dialog) => dialog.accept());
    await page.reload({ waitUntil: "networkidle" });
    assertEquals(await page.getByLabel("Title").inputValue(), "Garden help");
    await heading.getByText("Garden help").waitFor();
    await page.keyboard.press("Control+s");
    await page.getByText("Changes saved.").waitFor();
    await signedIn.close();
  });
  const stored = await service.service.agents.get(await service.tenant(), agent.id);
  assertEquals(stored.appearance, { title: "Garden help" });
});

Deno.test("/chat/:share: a page of its own that answers, on phones too, by the link alone", async () => {
  await using mock = await MockProviders.start();
  await using on = await ProviderService.start(mock);
  const { service } = on;
  const agent = await on.agent("vendor_a", { name: "Shop assistant" });
  const tenant = await service.tenant();
  const share = { tenant, agentId: agent.id };
  const id = await service.service.shares.create(share, agent.name);
  await withBrowser(async (browser) => {
    for (const [colorScheme, width] of [["light", 1280], ["dark", 360]] as const) {
      const visitor = await browser.newContext({
        ...{ baseURL: service.url, colorScheme, viewport: { width, height: 740 } },
        // A message that fades in has too little contrast for a moment.
        reducedMotion: "reduce",
      });
      const page = await visitor.newPage();
      const errors: string[] = [];
      page.on("console", (line) => line.type() === "error" && errors.push(line.text()));
      page.on("pageerror", (error) => errors.push(error.message));
      await page.goto(`/chat/${id}`);
      assertEquals(await page.title(), "Shop assistant");
      await page.getByRole("textbox").fill("Hello?");
      await page.keyboard.press("Enter");
      await page.getByRole("log").getByText("Hello there.").waitFor();
      await page.keyboard.press("Escape");
      assert(await page.getByRole("log").isVisible(), "the page cannot be closed");
      assertEquals(await page.getByRole("button", { name: "Close chat" }).count(), 0);
      assertEquals(await violations(page), [], colorScheme);
      const wide = await page.evaluate(() => document.documentElement.scrollWidth);
      assert(wide <= width, `${wide} px`);
      assertEquals(errors, []);
      await visitor.close();
    }
  });
});
