/** A call that waits, in Chromium: a person approves it, a draft's is approved, and tools are edited. */
import axe from "axe-core";
import { assert, assertEquals } from "@std/assert";
import { visit, withPage } from "./support/browser.ts";
import { ownerContext } from "./support/owner.ts";
import { finish, openWaitingCalls, refundAt, untilPending } from "./support/waiting_calls.ts";

Deno.test("dashboard: a person approves a call, and agents get tools whose calls wait", async (t) => {
  await using fixture = await openWaitingCalls((host) => [
    refundAt(host, { approval: "person", title: "Refund an order" }),
  ]);
  const { service, server, agent } = fixture;
  const options = { baseUrl: service.url, context: await ownerContext(service) };
  await withPage(options, async (page) => {
    await t.step("the card of a live conversation shows the arguments and decides", async () => {
      const { sse } = await untilPending(await fixture.ask("refund"));
      await visit(page, "/conversations");
      await page.getByText("Waits for approval").waitFor();
      await page.locator(".handoff-queue a").first().click();
      const card = page.getByRole("region", { name: "Approval" });
      await card.getByText("The agent wants to use Refund an order.").waitFor();
      assert((await card.innerText()).includes("A-1042"));
      await page.evaluate(axe.source);
      const found = await page.evaluate("axe.run('.approval')") as { violations: unknown[] };
      assertEquals(found.violations, []);
      await card.getByRole("button", { name: "Approve" }).click();
      const { result } = await finish(sse);
      assertEquals(result.output, { status: 200, body: { done: true } });
      await card.waitFor({ state: "detached" });
      assertEquals(server.requests.length, 1);
    });
    await t.step("a tool's calls are made to wait, and a page tool is added", async () => {
      await visit(page, `/agents/${agent.id}/tools`);
      await page.getByRole("button", { name: "Edit refund" }).click();
      const panel = page.locator("#tool-0-panel");
      await panel.getByLabel("Approval").selectOption("From the visitor");
      await panel.getByLabel("Calls may be repeated").check();
      await panel.getByLabel("Calls may run at the same time").check();
      await panel.getByRole("button", { name: "Done" }).click();
      await page.getByRole("button", { name: "Add page tool" }).click();
      const added = page.locator("#tool-1-panel");
      await added.getByLabel("Tool name").fill("cart");
      await added.getByLabel("Output").fill('{"type":"object"}');
      await added.getByRole("button", { name: "Done" }).click();
      await page.getByRole("button", { name: "Save changes" }).click();
      await page.getByText("Changes saved.").waitFor();
      const { tools } = await service.service.agents.get(await service.tenant(), agent.id);
      const [refund, cart] = tools as unknown as Record<string, unknown>[];
      assertEquals(
        [refund!.approval, refund!.idempotent, refund!.parallel],
        ["visitor", true, true],
      );
      assertEquals([cart!.type, cart!.name, cart!.output], ["client", "cart", { type: "object" }]);
    });
    await t.step("the playground decides in place of the visitor", async () => {
      await visit(page, `/agents/${agent.id}`);
      await page.getByLabel("Message", { exact: true }).fill('use refund with {"q":"B-7"}');
      await page.getByRole("button", { name: "Send" }).click();
      await page.getByRole("button", { name: "Decline" }).click();
      await page.getByText("tool_refused").first().waitFor({ state: "attached" });
      assertEquals(server.requests.length, 1);
    });
  });
});
