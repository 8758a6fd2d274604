/** The agent pages in a real browser: by keyboard, in both themes, and when a save fails. */
import axe from "axe-core";
import { assert, assertEquals, assertMatch } from "@std/assert";
import type { Browser, Page } from "playwright-core";
import type { Agent } from "@/lib/schemas/agent.ts";
import { httpTool } from "./support/agents.ts";
import { alive, type ConsoleLine, visit, withBrowser, withPage } from "./support/browser.ts";
import { ownerContext } from "./support/owner.ts";
import { agentBody, TestService } from "./support/service.ts";

interface Opened {
  service: TestService;
  agent: Agent;
  /** Runs `use` on a new signed-in page. */
  onPage: (
    use: (page: Page, lines: ConsoleLine[]) => Promise<void>,
    options?: { colorScheme?: "light" | "dark"; width?: number },
  ) => Promise<void>;
}

/** Starts a service with an agent that has two versions and one tool. */
async function withDashboard(use: (opened: Opened) => Promise<void>): Promise<void> {
  await using service = await TestService.start();
  const tenant = await service.tenant();
  const { agents } = service.service;
  const tools = [httpTool()];
  const body = { ...agentBody(), tools, allowedDomains: ["tools.example.com"] };
  const made = await agents.create(tenant, body);
  const agent = await agents.patch(tenant, made.id, { patch: { systemPrompt: "Be\nbrief." } });
  const context = await ownerContext(service);
  await withBrowser((browser: Browser) =>
    use({
      service,
      agent,
      onPage: (work, options = {}) =>
        withPage({ browser, baseUrl: service.url, context, ...options }, work),
    })
  );
}

/** The page's axe violations, and by how much it is wider than the window. */
async function problemsOf(page: Page): Promise<unknown[]> {
  const found = await page.evaluate(`(() => { ${axe.source}; return axe.run(); })()`) as {
    violations: { id: string; nodes: { html: string; failureSummary: string }[] }[];
  };
  const wide = await page.evaluate(() =>
    Math.max(0, document.documentElement.scrollWidth - document.documentElement.clientWidth)
  );
  return [
    ...found.violations.map(({ id, nodes }) => [id, nodes[0]?.html, nodes[0]?.failureSummary]),
    ...(wide > 0 ? [`${wide} px too wide`] : []),
  ];
}

/** Waits for the Send button, because the editor sends nothing until the stream has ended. */
async function ask(page: Page, text: string): Promise<void> {
  await page.getByRole("button", { name: "Send", exact: true }).waitFor();
  await page.getByLabel("Message").fill(text);
  await page.getByLabel("Message").press("Enter");
}

const serious = (lines: ConsoleLine[]) =>
  lines.filter(({ type }) => ["error", "pageerror"].includes(type)).map(({ text }) => text);

Deno.test("agent pages: every page passes axe in both themes and fits 360 px", async () => {
  await withDashboard(async ({ agent, onPage }) => {
    const path = `/agents/${agent.id}`;
    const pages = ["/agents", "/agents?q=none", "/agents/new?template=booking", path];
    const sections = ["model", "knowledge", "tools"];
    for (const tab of [...sections, "embed", "versions", "versions/1", "delete"]) {
      pages.push(`${path}/${tab}`);
    }
    for (const [colorScheme, width] of [["light", 360], ["dark", 1280]] as const) {
      await onPage(async (page, lines) => {
        for (const address of pages) {
          await visit(page, address);
          if (address === `${path}/tools`) await expandAll(page);
          assertEquals(await problemsOf(page), [], `${address} ${colorScheme}`);
        }
        assertEquals(serious(lines), []);
      }, { colorScheme, width });
    }
  });
});

/** Opens everything on the tools page: a tool, its test call, and two chats side by side. */
async function expandAll(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Edit look_up" }).click();
  assertEquals(await problemsOf(page), [], "the panel of a tool");
  await page.getByRole("tab", { name: "Test" }).click();
  await page.getByRole("button", { name: "Run test" }).click();
  await page.locator(".tool-result").waitFor();
  assertEquals(await problemsOf(page), [], "a test of a tool");
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Compare" }).click();
  await ask(page, `use look_up with {"q":"a"}`);
  await page.locator(".turn-facts").nth(1).waitFor();
  await page.locator(".frames > summary").first().click();
}

Deno.test("the editor: an agent is created from a template, tried and deleted by keyboard alone", async () => {
  await withDashboard(async ({ service, onPage }) => {
    await onPage(async (page, lines) => {
      const { keyboard } = page;
      await visit(page, "/agents");
      await tabTo(page, "Create agent");
      await keyboard.press("Enter");
      await page.waitForURL("**/agents/new");
      await tabTo(page, "Customer support");
      await keyboard.press("Enter");
      await page.waitForURL("**template=support");
      await alive(page);
      await tabTo(page, "Name");
      await keyboard.press("ControlOrMeta+a");
      await keyboard.type("Night desk");
      await tabTo(page, "Add HTTP tool");
      await keyboard.press("Enter");
      await page.waitForFunction(() => document.activeElement?.id === "tool-0-name");
      await keyboard.press("Escape");
      await tabTo(page, "Allowed domains");
      await keyboard.type("api.example.com");
      await tabTo(page, "Create agent");
      await keyboard.press("Enter");
      await page.waitForURL(/agents\/[0-9a-f-]{36}/);
      await alive(page);
      await tabTo(page, "Message");
      await keyboard.type("Who are you?");
      await keyboard.press("Enter");
      await page.locator(".turn-facts").waitFor();
      assertMatch(
        await page.locator(".turn-facts").innerText(),
        /first text .* input, .* output tokens · \$0/,
      );
      const { data: [made] } = await service.service.agents.list(await service.tenant(), {
        limit: 1,
      });
      assertEquals([made?.name, made?.tools[0]?.name], ["Night desk", "new_tool"]);
      await visit(page, `/agents/${made?.id}`);
      await tabTo(page, "Delete");
      await keyboard.press("Enter");
      await page.getByRole("dialog").getByLabel("Type the agent's name").focus();
      await keyboard.type("Night desk");
      await keyboard.press("Enter");
      await page.getByText("Agent deleted.").waitFor();
      assertEquals(serious(lines), []);
    });
  });
});

/** Presses Tab until the control with this name has the focus. */
async function tabTo(page: Page, name: string): Promise<void> {
  for (let n = 0; n < 80; n++) {
    await page.keyboard.press("Tab");
    const focused = await page.evaluate(() => {
      const element = document.activeElement as HTMLInputElement | null;
      return (element?.labels?.[0] ?? element)?.textContent?.trim() ?? "";
    });
    if (focused.startsWith(name)) return;
  }
  throw new Error(`Tab does not reach ${name}`);
}

Deno.test("the editor: errors appear while typing, by the server's rules, and disappear when corrected", async () => {
  await withDashboard(async ({ agent, onPage }) => {
    await onPage(async (page) => {
      await visit(page, `/agents/${agent.id}/model`);
      const steps = page.getByLabel("Steps");
      await steps.fill("99");
      await page.locator("#maxSteps-fault").waitFor();
      assertEquals(await steps.getAttribute("aria-invalid"), "true");
      assertMatch(await steps.getAttribute("aria-describedby") ?? "", /maxSteps-fault/);
      await page.getByLabel("Time, in seconds").fill("500");
      await page.getByText("1 field needs attention").or(
        page.getByText("2 fields need attention"),
      ).waitFor();
      await steps.fill("9");
      await page.locator("#maxSteps-fault").waitFor({ state: "detached" });
      assertEquals(await steps.getAttribute("aria-invalid"), null);
    });
  });
});

Deno.test("the editor: leaving with unsaved changes asks for confirmation, and a failed save is restored", async () => {
  await withDashboard(async ({ agent, onPage }) => {
    await onPage(async (page) => {
      const path = `/agents/${agent.id}`;
      await visit(page, path);
      await page.getByLabel("Name", { exact: true }).fill("Helper!");
      await page.getByText("Unsaved changes").waitFor();
      const dialogType = new Promise<string>((resolve) =>
        page.once("dialog", (dialog) => {
          resolve(dialog.type());
          void dialog.dismiss();
        })
      );
      await page.getByRole("link", { name: "API keys" }).click();
      assertEquals(await dialogType, "beforeunload");
      await page.route("**" + path, (route) => route.abort(), { times: 1 });
      await page.getByRole("button", { name: "Save changes" }).click();
      await page.waitForURL("chrome-error://**");
      await visit(page, path);
      await page.getByText("Restored your unsaved changes").waitFor();
      assertEquals(await page.getByLabel("Name", { exact: true }).inputValue(), "Helper!");
      await page.getByRole("button", { name: "Save changes" }).click();
      await page.getByText("Changes saved.").waitFor();
      await visit(page, path);
      assertEquals(await page.locator(".guard").innerText(), "");
    });
  });
});

Deno.test("the tool editor: the form and the JSON stay in sync", async () => {
  await withDashboard(async ({ agent, onPage }) => {
    await onPage(async (page) => {
      await visit(page, `/agents/${agent.id}/tools`);
      await page.getByRole("button", { name: "Edit look_up" }).click();
      await page.locator("#tool-0-name").waitFor();
      // A click that leaves a field causes two changes without a render between them.
      await page.evaluate(async () => {
        const name = document.querySelector<HTMLInputElement>("#tool-0-name")!;
        name.value = "renamed";
        name.dispatchEvent(new Event("change", { bubbles: true }));
        await new Promise((resolve) => {
          const { port1, port2 } = new MessageChannel();
          port1.onmessage = resolve;
          port2.postMessage(undefined);
        });
        const buttons = [...document.querySelectorAll("button")];
        buttons.find(({ textContent }) => textContent === "Add parameter")!.click();
      });
      await page.getByRole("button", { name: "Done" }).click();
      await page.getByRole("button", { name: "Edit as JSON" }).click();
      const json = page.locator("#tools");
      const [tool] = JSON.parse(await json.inputValue());
      assertEquals([tool.name, tool.parameters.required], ["renamed", ["argument_2"]]);
      await json.fill("[");
      assert(await page.getByRole("button", { name: "Edit as JSON" }).isDisabled());
      await json.fill("[]");
      await page.getByRole("button", { name: "Edit as JSON" }).click();
      await page.getByText("No tools yet. Add one to let the agent call your APIs.").waitFor();
    });
  });
});

Deno.test("the playground: the draft and the saved version answer side by side", async () => {
  await withDashboard(async ({ agent, onPage }) => {
    await onPage(async (page) => {
      await visit(page, `/agents/${agent.id}`);
      await page.getByRole("button", { name: "Compare" }).click();
      const bodies: { form?: { name: string }; version?: number; conversationId?: string }[] = [];
      page.on("request", (request) => {
        if (request.url().endsWith("/try")) bodies.push(request.postDataJSON());
      });
      await page.getByLabel("Name", { exact: true }).fill("Draft");
      await ask(page, "One?");
      await page.locator(".turn-facts").nth(1).waitFor();
      await ask(page, "Two?");
      await page.locator(".turn-facts").nth(3).waitFor();
      assertEquals(bodies.map(({ form, version }) => form?.name ?? version), [
        "Draft",
        2,
        "Draft",
        2,
      ]);
      assert(bodies[2]?.conversationId !== bodies[3]?.conversationId);
      await page.getByRole("log").first().getByText("message 2").waitFor();
      await page.getByLabel("Name", { exact: true }).fill("");
      await ask(page, "Three?");
      await page.getByText("the draft needs your attention").waitFor();
    });
  });
});
