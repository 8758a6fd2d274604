/** The playground shows answers by the widget's own renderer. */
import { assert, assertEquals, assertMatch } from "@std/assert";
import type { Page } from "playwright-core";
import { httpTool } from "./support/agents.ts";
import { visit, withPage } from "./support/browser.ts";
import { ownerContext, ownerCookie } from "./support/owner.ts";
import { MAX_SCRIPT_BYTES, scriptBytes } from "./support/script_bytes.ts";
import { agentBody, TestService } from "./support/service.ts";

const MAX_EDITOR_BYTES = MAX_SCRIPT_BYTES * 1.5;

async function ask(page: Page, text: string, answers: number): Promise<void> {
  await page.getByLabel("Message").fill(text);
  await page.getByLabel("Message").press("Enter");
  await page.locator(".turn-facts").nth(answers - 1).waitFor();
}

Deno.test("the playground: renders Markdown and folded tool calls as the widget does, and is reset", async () => {
  await using service = await TestService.start();
  const tenant = await service.tenant();
  const { id } = await service.service.agents.create(tenant, {
    ...agentBody(),
    tools: [httpTool()],
    allowedDomains: ["tools.example.com"],
    appearance: { accent: "#aa3300", lang: "de" },
  });
  const options = { baseUrl: service.url, context: await ownerContext(service), height: 900 };
  await withPage({ ...options, width: 1440 }, async (page) => {
    await visit(page, `/agents/${id}`);
    const log = page.getByRole("log");
    await ask(page, "Say **loud** [here](https://example.com/a) <b>tag</b>", 1);
    const answer = log.locator("[part=answer]");
    assertEquals(await answer.locator("strong").innerText(), "loud");
    const link = answer.getByRole("link");
    assertEquals(await link.getAttribute("rel"), "noopener noreferrer nofollow");
    assertMatch(await link.innerText(), /here\s*example\.com/);
    assertEquals(await answer.locator("b").count(), 0);
    // The visitor's words are plain text.
    assertMatch(await log.locator("[part=question]").innerText(), /\*\*loud\*\*/);
    // The styles are the widget's with the agent's color and language, and it stands in the page.
    const question = log.locator("[part=question] .bubble");
    assertEquals(
      await question.evaluate((bubble) => getComputedStyle(bubble).backgroundColor),
      "rgb(170, 51, 0)",
    );
    assertEquals(await answer.getByRole("button").innerText(), "Kopieren");
    const shown = await answer.locator(".bubble").evaluate((bubble) => ({
      radius: getComputedStyle(bubble).borderStartStartRadius,
      position: getComputedStyle((bubble.getRootNode() as ShadowRoot).host).position,
    }));
    assertEquals(shown, { radius: "20px", position: "static" });
    await ask(page, `use look_up with {"q":"a"}`, 2);
    const call = page.locator(".tool-use");
    assertMatch(await call.locator("summary").innerText(), /look_up\s*\d+\.\d\d s/);
    assert(await call.getByLabel("Arguments of look_up").isHidden());
    await call.locator("summary").click();
    assertMatch(await call.getByLabel("Arguments of look_up").innerText(), /"q": "a"/);
    assertMatch(await call.getByLabel("Output of look_up").innerText(), /domain_not_allowed/);
    const box = await page.locator(".agent-aside").boundingBox();
    assert(box !== null && box.height >= 800 && box.y + box.height <= 900, JSON.stringify(box));
    await page.getByRole("button", { name: "Compare" }).click();
    await page.waitForFunction(() => {
      const { top, bottom } = document.querySelector(".playground")!.getBoundingClientRect();
      return top >= 0 && bottom <= innerHeight;
    });
    await page.getByRole("button", { name: "Reset" }).click();
    await log.first().getByText("Send a message to try the agent.").waitFor();
  });
});

Deno.test("the playground: shows the sources of an answer from knowledge", async () => {
  await using service = await TestService.start();
  const tenant = await service.tenant();
  const { agents, knowledge, documents } = service.service;
  const base = await knowledge.create(tenant, { name: "Manual" });
  const key = await service.key(["knowledge:write"]);
  const added = await service.fetch(`/v1/knowledge-bases/${base.id}/documents`, {
    method: "POST",
    key,
    json: { title: "Delivery", content: "Parcels leave the house within two working days." },
  });
  assertEquals(added.status, 201);
  await added.body?.cancel();
  await documents.whenIdle();
  const { id } = await agents.create(tenant, { ...agentBody(), knowledgeBaseId: base.id });
  const options = { baseUrl: service.url, context: await ownerContext(service) };
  await withPage(options, async (page) => {
    await visit(page, `/agents/${id}`);
    await ask(page, "When do parcels leave the house?", 1);
    assertMatch(await page.locator("[part=sources]").innerText(), /Sources\s+1\. Delivery/);
  });
});

Deno.test("the editor's pages: their scripts stay under 90 KB with the widget's renderer", async () => {
  await using service = await TestService.start();
  const { id } = await service.service.agents.create(await service.tenant(), agentBody());
  const cookie = await ownerCookie(service);
  for (const page of ["", "/model", "/knowledge", "/tools"]) {
    const answer = await service.fetch(`/agents/${id}${page}`, { headers: { cookie } });
    const bytes = await scriptBytes(service, await answer.text());
    assert(bytes > 0 && bytes < MAX_EDITOR_BYTES, `${page}: ${bytes} bytes`);
  }
});
