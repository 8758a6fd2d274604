/** Hand-off pages in a real browser: live messages, and axe in both themes and widths. */
import axe from "axe-core";
import { assertEquals } from "@std/assert";
import type { Page } from "playwright-core";
import { HANDOFF, Visitor } from "./support/handoffs.ts";
import { alive, visit, withBrowser, withPage } from "./support/browser.ts";
import { Dashboard } from "./support/dashboard.ts";
import { ownerContext } from "./support/owner.ts";
import { TestService } from "./support/service.ts";
import { embed } from "./support/widget_calls.ts";

async function open() {
  const service = await TestService.start();
  const { agent, sessionToken } = await embed(service, { handoff: HANDOFF });
  const visitor = new Visitor(service, { agent, sessionToken });
  await visitor.say("Where is my parcel?");
  await visitor.ask();
  const path = `/conversations/${visitor.id}?agentId=${agent.id}&origin=https://shop.example.com`;
  const context = await ownerContext(service);
  return {
    service,
    agent,
    visitor,
    path,
    context,
    [Symbol.asyncDispose]: () => service[Symbol.asyncDispose](),
  };
}

async function violations(page: Page): Promise<unknown[]> {
  const found = await page.evaluate(`(() => { ${axe.source}; return axe.run(); })()`) as {
    violations: { id: string; nodes: { html: string; failureSummary: string }[] }[];
  };
  return found.violations.map(({ id, nodes }) => [id, nodes[0]?.html, nodes[0]?.failureSummary]);
}

Deno.test("/conversations/:id: a person takes the conversation and sees messages and typing live", async () => {
  await using fixture = await open();
  const { service, visitor, context } = fixture;
  await withPage({ width: 1440, baseUrl: service.url, context }, async (page, lines) => {
    await visit(page, "/conversations");
    await page.locator(".handoff-queue a").click();
    await page.getByRole("button", { name: "Take conversation" }).click();
    await page.getByText("You have the conversation").waitFor();
    await alive(page);
    await using feed = await visitor.feed();
    assertEquals((await feed.next())?.data.state, "waiting");
    assertEquals((await feed.next())?.data.person, "Owner");
    await visitor.say("Is it <i>lost</i>?");
    await page.locator(".handoff-panel").getByText("Is it <i>lost</i>?").waitFor();
    await visitor.post("typing");
    await page.getByText("The visitor is typing…").waitFor();
    const field = page.getByLabel("Message to the visitor");
    await field.pressSequentially("No");
    assertEquals((await feed.next())?.type, "typing");
    await field.fill("No, it is in Bonn.");
    await page.getByRole("button", { name: "Send message" }).click();
    assertEquals((await feed.next())?.data.text, "No, it is in Bonn.");
    await page.locator(".handoff-panel").getByText("No, it is in Bonn.").waitFor();
    await alive(page);
    // Somebody else hands it back: the page shows that.
    const { handoffs } = service.service;
    const place = await handoffs.locate(await service.tenant(), visitor.id, {});
    await handoffs.act(place!.name, { type: "return" });
    await page.getByText("The conversation was handed back to the agent.").waitFor();
    assertEquals(await page.getByRole("button", { name: "Send message" }).count(), 0);
    assertEquals(lines.filter(({ type }) => type === "error" || type === "pageerror"), []);
  });
});

Deno.test("hand-off pages: no accessibility violations and no horizontal scroll", async () => {
  await using fixture = await open();
  const { service, agent, visitor, path, context } = fixture;
  const state = context.storageState as { cookies: { value: string }[] };
  const owner = new Dashboard(service, state.cookies[0]!.value);
  await withBrowser(async (browser) => {
    for (const stage of ["waiting", "taken"] as const) {
      if (stage === "taken") {
        await owner.post(path, { action: "take", name: "Anna" });
        await owner.post(path, { action: "say", text: "Hello ".repeat(40) });
        await visitor.say("https://example.com/" + "a".repeat(200));
      }
      for (const width of [360, 1440]) {
        for (const colorScheme of ["light", "dark"] as const) {
          const options = { browser, width, colorScheme, baseUrl: service.url, context };
          await withPage(options, async (page) => {
            for (const at of [path, "/conversations", `/agents/${agent.id}/handoff`]) {
              await visit(page, at);
              const name = `${at} ${stage} ${width} ${colorScheme}`;
              assertEquals(await violations(page), [], name);
              const overflow = await page.evaluate(
                "document.documentElement.scrollWidth - document.documentElement.clientWidth",
              );
              assertEquals(overflow, 0, name);
            }
          });
        }
      }
    }
  });
});
