/** The tools page in a real browser: panels, problems, and the settings that mend them. */
import axe from "axe-core";
import { assert, assertEquals, assertMatch } from "@std/assert";
import type { Page } from "playwright-core";
import { httpTool } from "./support/agents.ts";
import { alive, visit, withPage } from "./support/browser.ts";
import { Dashboard } from "./support/dashboard.ts";
import { ownerContext } from "./support/owner.ts";
import { agentBody, TestService } from "./support/service.ts";

const focusedId = (page: Page) => page.evaluate(() => document.activeElement?.id);

Deno.test("/agents/:id/tools: all problems are listed, each leads to its field or mends itself", async (t) => {
  await using service = await TestService.start();
  const { agents } = service.service;
  const tenant = await service.tenant();
  const { id } = await agents.create(tenant, {
    ...agentBody(),
    tools: [httpTool()],
    allowedDomains: ["tools.example.com"],
  });
  const expert = await agents.create(tenant, { ...agentBody(), name: "Parcel expert" });
  await agents.create(tenant, agentBody());
  const options = { baseUrl: service.url, context: await ownerContext(service) };
  await withPage(options, async (page) => {
    const panel = page.locator("#tool-0-panel");
    const row = page.locator("#tool-0");
    const edit = page.getByRole("button", { name: "Edit look_up" });
    await visit(page, `/agents/${id}/tools`);
    await t.step("the list names method and address; Esc closes the panel", async () => {
      assertMatch(
        await row.locator(".tool-row").innerText(),
        /look_up\s+GET https:\/\/tools\.example\.com\/find\?q=\{\{q\}\}/,
      );
      await edit.click();
      await panel.getByRole("tab", { name: "Edit" }).press("ArrowRight");
      assertEquals(await focusedId(page), "tool-0-test-tab");
      assert(await panel.getByRole("button", { name: "Run test" }).isVisible());
      assert(await panel.getByLabel("URL").isHidden());
      await page.keyboard.press("Escape");
      await panel.waitFor({ state: "hidden" });
    });
    await t.step("Enter in the panel reports the value and does not send the form", async () => {
      await edit.click();
      await panel.getByLabel("URL").fill("https://new.example.com/{{nope}}");
      await panel.getByLabel("URL").press("Enter");
      await panel.getByLabel("Tool name").fill("not good");
      await panel.getByLabel("Tool name").press("Enter");
      await page.locator("#tool-0-url-issue").waitFor();
      assertEquals(await focusedId(page), "tool-0-name");
      assertEquals(
        (await page.locator("#tool-0-url-issue").innerText()).split("\n"),
        [
          "{{nope}} is not among the tool's parameters.",
          "new.example.com is not in the allowed domains.",
        ],
      );
      assertEquals(await panel.getByLabel("URL").getAttribute("aria-invalid"), "true");
      await panel.getByRole("button", { name: "Done" }).click();
      assertEquals(await row.locator(".tool-problems > li").count(), 3);
    });
    await t.step("a rejected save shows the same, and keeps what was typed", async () => {
      await page.getByRole("button", { name: "Save changes" }).click();
      await page.getByText("Couldn't save.").waitFor();
      await alive(page);
      assertEquals(await row.locator(".tool-problems > li").count(), 3);
      assertEquals((await agents.get(tenant, id)).version, 1);
    });
    await t.step(
      "a problem opens its field, and a missing domain is allowed by a click",
      async () => {
        await page.getByRole("button", { name: "Allow new.example.com" }).click();
        await page.getByRole("button", { name: "Allow new.example.com" })
          .waitFor({ state: "detached" });
        assertEquals(
          await page.getByLabel("Allowed domains").inputValue(),
          "tools.example.com\nnew.example.com",
        );
        await page.getByRole("button", { name: /^Show field: \{\{nope\}\}/ }).click();
        await page.waitForFunction(() => document.activeElement?.id === "tool-0-url");
        await panel.getByLabel("URL").fill("https://new.example.com/{{q}}");
        await panel.getByLabel("Tool name").fill("find_it");
        await panel.getByRole("button", { name: "Done" }).click();
        await row.locator(".tool-problems").waitFor({ state: "detached" });
        await page.getByRole("button", { name: "Save changes" }).click();
        await page.getByText("Changes saved.").waitFor();
        const { tools, allowedDomains } = await agents.get(tenant, id);
        assertEquals([tools[0]?.name, allowedDomains[1]], ["find_it", "new.example.com"]);
      },
    );
    await t.step("an agent is chosen from the list, and saved as a tool", async () => {
      await page.getByRole("button", { name: "Add agent" }).click();
      const added = page.locator("#tool-1-panel");
      await added.getByLabel("Tool name").fill("ask_expert");
      await added.getByLabel("Tool name").press("Enter");
      await added.getByLabel("Agent", { exact: true }).selectOption({ label: "Parcel expert" });
      await added.getByRole("button", { name: "Done" }).click();
      assertMatch(
        await page.locator("#tool-1 .tool-row").innerText(),
        /ask_expert\s+Parcel expert\s+Edit$/,
      );
      await page.getByRole("button", { name: "Save changes" }).click();
      await page.getByText("Changes saved.").waitFor();
      const [, tool] = (await agents.get(tenant, id)).tools;
      assertEquals(tool?.type === "agent" && tool.agentId, expert.id);
    });
  });
});

Deno.test("/agents/:id/tools: operators see the line that allows a private host, others whom to ask", async () => {
  await using service = await TestService.start({ env: { EGRESS_ALLOW: "erp.internal" } });
  const tenant = await service.tenant();
  const tools = [
    httpTool({}, { url: "https://10.1.2.3/find?q={{q}}" }),
    httpTool({ name: "crm" }, { url: "http://crm.internal:8080/{{q}}" }),
  ];
  const { id } = await service.service.agents.create(tenant, {
    ...agentBody(),
    tools,
    allowedDomains: ["10.1.2.3", "crm.internal:8080"],
  });
  const path = `/agents/${id}/tools`;
  const context = await ownerContext(service);
  const [{ name, value } = { name: "", value: "" }] =
    (context.storageState as { cookies: { name: string; value: string }[] }).cookies;
  const headers = { cookie: `${name}=${value}` };
  const operator = await (await service.fetch(path, { headers })).text();
  assertMatch(operator, /class="tool-warning"[^>]*>Tool 1: 10\.1\.2\.3 is a private address/);
  assert(
    operator.includes(`EGRESS_ALLOW=erp.internal,${tenant}=10.1.2.3,${tenant}=crm.internal:8080`),
  );
  const admin = await (await (await Dashboard.join(service, "admin")).get(path)).text();
  assertMatch(admin, /Ask the operator to add it to EGRESS_ALLOW/);
  assert(!admin.includes("EGRESS_ALLOW=") && !admin.includes("erp.internal"));
  await withPage({ baseUrl: service.url, context, width: 360 }, async (page) => {
    await visit(page, path);
    await page.locator(".tool-problems").getByText("Tools call crm.internal:8080").waitFor();
    const { violations, overflow } = await page.evaluate(`(async () => {
      ${axe.source};
      const { violations } = await axe.run();
      const { scrollWidth, clientWidth } = document.documentElement;
      return { violations: violations.map(({ id }) => id), overflow: scrollWidth - clientWidth };
    })()`) as { violations: string[]; overflow: number };
    assertEquals([violations, overflow], [[], 0]);
  });
});
