/** Visitors and people in Chromium: the widget, the real service and what the dashboard does. */
import { assertEquals } from "@std/assert";
import type { Page } from "playwright-core";
import { Dashboard } from "./support/dashboard.ts";
import { HANDOFF } from "./support/handoffs.ts";
import { ownerCookie } from "./support/owner.ts";
import { onRealSite, type RealSite } from "./support/real_site.ts";
import { ask } from "./support/widget_site.ts";

const OFFERED = { attributes: `data-offers="handoff"`, agent: { handoff: HANDOFF } };
const status = (page: Page, text: RegExp) =>
  page.locator("[part=handoff]").getByText(text).waitFor();
const bubble = (page: Page, text: string) => page.locator(".bubble").getByText(text).waitFor();

async function send(page: Page, text: string): Promise<void> {
  await page.getByRole("textbox", { name: "Write a message" }).fill(text);
  const sent = page.waitForResponse(/\/v1\/chat\/stream$/);
  await page.keyboard.press("Enter");
  await sent;
  await page.locator(".action:not(.busy)").waitFor();
}

/** Asks the agent, then for a person, and returns two people of the team. */
async function askForPerson({ page, service, held, agent, origin }: RealSite) {
  await ask(page, "Where is my order?");
  held.release();
  await page.getByRole("button", { name: "Copy" }).waitFor();
  const owner = new Dashboard(service, (await ownerCookie(service)).split("=")[1]);
  const ben = await Dashboard.join(service, "admin", { name: "ben" });
  await page.getByRole("button", { name: "More" }).click();
  const requested = page.waitForResponse(/\/handoff$/);
  await page.getByRole("button", { name: "Talk to a person" }).click();
  const { conversationId } = await (await requested).json();
  await status(page, /A colleague will answer soon/);
  const path = `/conversations/${conversationId}?agentId=${agent.id}&origin=${origin}`;
  const place = await service.service.handoffs.locate(await service.tenant(), conversationId, {});
  return { owner, ben, path, place: place! };
}

Deno.test("widget: of two people one has the conversation, and visitor and person write live", async () => {
  await onRealSite({ ...OFFERED, endpoint: true }, async (site) => {
    const { page, service, held, console, minted } = site;
    const { owner, ben, path, place } = await askForPerson(site);
    const take = (who: Dashboard, name: string) => who.post(path, { action: "take", name });
    await Promise.all([take(owner, "Anna"), take(ben, "Ben")]);
    const head = await service.service.handoffs.find(place.name);
    const [name, who] = head!.person!.name === "Anna" ? ["Anna", owner] : ["Ben", ben];
    await status(page, new RegExp(`You are talking to .?${name}`));
    await who.post(path, { action: "say", text: "Which **number**?" });
    await bubble(page, "Which number?");
    const typed = page.waitForResponse(/\/typing$/);
    await send(page, "Number 7.");
    assertEquals((await typed).status(), 204);
    assertEquals((await (await who.get(path)).text()).includes("Number 7."), true);
    await service.service.handoffs.recordTyping(place.name, "person");
    await status(page, /is typing/);
    // The session ends while the feed is open: another one continues.
    held.advance(20 * 60_000);
    await who.post(path, { action: "say", text: "It is in Bonn." });
    await bubble(page, "It is in Bonn.");
    assertEquals(minted.length, 2);
    await page.getByRole("button", { name: "Close chat" }).first().click();
    await page.reload();
    await page.locator(".launcher").waitFor();
    await who.post(path, { action: "say", text: "Anything else?" });
    await page.locator(".unread").waitFor();
    await page.getByRole("button", { name: "Open chat" }).click();
    await who.post(path, { action: "return" });
    await status(page, /has ended. The assistant answers again/);
    await send(page, "Thanks.");
    await page.locator(".mine + .turn .copy").nth(1).waitFor();
    assertEquals(
      await page.locator(".turn").evaluateAll((turns) =>
        turns.map((turn) => turn.querySelector(".person")?.textContent ?? turn.className)
      ),
      ["turn mine", "turn", name, "turn mine", name, name, "turn mine", "turn"],
    );
    const texts = await page.locator(".bubble").allInnerTexts();
    assertEquals(new Set(texts).size, texts.length, "none twice");
    // The browser's line for the token that had expired.
    assertEquals(console.filter(({ text }) => !text.includes("401")), []);
  });
});

Deno.test("widget: each of a visitor's tabs shows what a person writes, once", async () => {
  await onRealSite({ ...OFFERED, endpoint: true }, async (site) => {
    const { page } = site;
    const { owner, path } = await askForPerson(site);
    await owner.post(path, { action: "take", name: "Anna" });
    await owner.post(path, { action: "say", text: "To both?" });
    await bubble(page, "To both?");
    // A tab that a page opens has a copy of its storage.
    const opened = page.waitForEvent("popup");
    await page.evaluate("void window.open(location.href)");
    const second = await opened;
    await bubble(second, "To both?");
    await owner.post(path, { action: "say", text: "To both." });
    for (const tab of [page, second]) {
      await bubble(tab, "To both.");
      assertEquals(await tab.locator(".person").count(), 2);
    }
    await owner.post(path, { action: "close" });
    for (const tab of [page, second]) await status(tab, /has ended/);
  });
});

Deno.test("widget: when nobody answers in time, the visitor leaves an address for the dashboard", async () => {
  await onRealSite({ ...OFFERED, endpoint: true }, async (site) => {
    const { page, held } = site;
    const { owner, path } = await askForPerson(site);
    held.advance(6 * 60_000);
    await page.reload();
    await status(page, /Nobody can answer right now. Leave a message/);
    await page.getByLabel("E-mail").fill("ada@example.com");
    await page.getByLabel("Message", { exact: true }).fill("Please call.");
    await page.locator(".contact").getByRole("button").click();
    await status(page, /We will write to .?ada@example.com/);
    const html = await (await owner.get(path)).text();
    assertEquals([html.includes("ada@example.com"), html.includes("Please call.")], [true, true]);
  });
});
