/** docs/use-chat.md in Chromium: the AI SDK's useChat and assistant-ui with the real service. */
import { build } from "esbuild";
import { assertEquals, assertStringIncludes } from "@std/assert";
import type { Browser } from "playwright-core";
import type { ConversationRun } from "@/lib/schemas/conversation.ts";
import { httpTool } from "./support/agent_bodies.ts";
import { withBrowser } from "./support/browser.ts";
import { expectJson } from "./support/expect_response.ts";
import { onRealSite, type RealSite } from "./support/real_site.ts";

const DOCUMENT = new URL("../docs/use-chat.md", import.meta.url);

/** The folders of the packages for each version of the AI SDK. */
const VERSIONS: Readonly<Record<string, { ai: string; react: string }>> = {
  "5": { ai: folderOf("ai5", "ai"), react: folderOf("ai-react5", "@ai-sdk/react") },
  "6": { ai: folderOf("ai6", "ai"), react: folderOf("ai-react6", "@ai-sdk/react") },
  "7": { ai: folderOf("ai7", "ai"), react: folderOf("ai-react7", "@ai-sdk/react") },
};

function folderOf(alias: string, name: string): string {
  const { pathname } = new URL(import.meta.resolve(alias));
  return pathname.slice(0, pathname.lastIndexOf(`/node_modules/${name}/`)) +
    `/node_modules/${name}`;
}

/** The files of the document, bundled into a page's script. */
async function bundle(entry: string, alias: Record<string, string>): Promise<string> {
  const text = await Deno.readTextFile(DOCUMENT);
  const folder = await Deno.makeTempDir();
  try {
    for (const [, name, code] of text.matchAll(/<!-- file: (\S+) -->\n\n```tsx?\n(.*?)```/gs)) {
      await Deno.writeTextFile(`${folder}/${name}`, code!);
    }
    const { outputFiles } = await build({
      stdin: { contents: entry, resolveDir: folder, loader: "tsx" },
      bundle: true,
      write: false,
      format: "esm",
      jsx: "automatic",
      define: { "process.env.NODE_ENV": '"production"' },
      alias: {
        react: folderOf("react", "react"),
        "react-dom": folderOf("react-dom", "react-dom"),
        ...alias,
      },
      logLevel: "silent",
    });
    return outputFiles[0]!.text;
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

const page = (component: string, file: string) =>
  `import { createRoot } from "react-dom/client";
import { ${component} } from "./${file}";
createRoot(document.getElementById("root")).render(<${component} />);`;

/** Gives the page a function that looks for an answer to resume, as `useChat` does when it starts. */
const RECONNECT = `
import { agentTransport } from "./agent_transport";
window.reconnect = () => agentTransport({
  service: "https://chat.example.com",
  agentId: "7d0e2f7c-4f65-4c8e-9a37-0a6f2b1f4c11",
  sessionEndpoint: "/chat-session",
}).transport.reconnectToStream({ chatId: "any" });`;

/** A page with the script, whose agent has a tool and a knowledge base. */
async function onPage(
  { script, browser }: { script: string; browser: Browser },
  use: (site: RealSite) => Promise<void>,
): Promise<void> {
  const html = ({ base, agent }: { base: string; agent: { id: string } }) => {
    const filled = script.replaceAll("https://chat.example.com", base)
      .replaceAll("7d0e2f7c-4f65-4c8e-9a37-0a6f2b1f4c11", agent.id)
      .replaceAll("/chat-session", "/mint");
    return `<div id="root"></div><script type="module">${filled.replaceAll("</", "<\\/")}</script>`;
  };
  await onRealSite({ browser, html, endpoint: true }, async (site) => {
    await change(site, { tools: [httpTool()], allowedDomains: ["api.example.com"] });
    await use(site);
    assertEquals(
      site.console.map(({ text }) => text).filter((text) =>
        !/DevTools|status of (403|410)/.test(text)
      ),
      [],
    );
  });
}

async function change({ service, key, agent }: RealSite, json: object): Promise<void> {
  const path = `/v1/agents/${agent.id}`;
  await expectJson(await service.fetch(path, { method: "PATCH", key, json }), 200);
}

async function ask({ page }: RealSite, text: string): Promise<void> {
  await page.getByLabel("Question").fill(text);
  await page.getByRole("button", { name: "Send" }).click();
}

const answers = ({ page }: RealSite) => page.locator('[data-role="assistant"]');

async function streams(site: RealSite): Promise<void> {
  const { page, held } = site;
  await ask(site, "Hello?");
  await answers(site).getByText("Hello! ").waitFor();
  assertEquals(await page.getByRole("button", { name: "Stop" }).count(), 1);
  held.release();
  await page.getByRole("button", { name: "Send" }).waitFor();
  assertStringIncludes(await answers(site).innerText(), "You asked: “Hello?”");
}

async function asksAgain(site: RealSite): Promise<void> {
  const { page } = site;
  await page.getByRole("button", { name: "Ask again" }).click();
  await page.getByRole("button", { name: "Send" }).waitFor();
  await answers(site).getByText("You asked: “Hello?”").waitFor();
  assertEquals(await answers(site).count(), 1);
  assertEquals((await storedRuns(site)).map(({ superseded }) => superseded), [true, undefined]);
}

/** The runs of the conversation that the page remembers. */
async function storedRuns({ page, service }: RealSite): Promise<ConversationRun[]> {
  const id = await page.evaluate(() => sessionStorage.getItem("conversation"));
  const key = await service.key(["conversations:read"]);
  return (await expectJson(await service.fetch(`/v1/conversations/${id}`, { key }), 200)).runs;
}

async function showsToolsAndSources(site: RealSite): Promise<void> {
  const { page, service } = site;
  await ask(site, `use lookup with {"q":"violets"}`);
  await answers(site).nth(1).getByText("lookup: output-error").waitFor();
  await page.getByRole("button", { name: "Send" }).waitFor();
  const tenant = await service.tenant();
  const { knowledge, documents } = service.service;
  const base = await knowledge.create(tenant, { name: "Shop" });
  const of = { tenant, base: base.id };
  for (const title of ["Handbook", "https://shop.example/returns"]) {
    const bytes = new TextEncoder().encode("You may return any book within thirty days.");
    await knowledge.addDocument(of, { title, mediaType: "text/plain", bytes });
  }
  await documents.whenIdle();
  await change(site, { knowledgeBaseId: base.id });
  await ask(site, "May I return a book?");
  await answers(site).nth(2).getByText("search_knowledge: output-available").waitFor();
  await page.getByRole("button", { name: "Send" }).waitFor();
  assertEquals(await page.locator("cite").allInnerTexts(), ["Handbook"]);
  assertEquals(await page.locator("a").getAttribute("href"), "https://shop.example/returns");
}

async function showsErrors(site: RealSite): Promise<void> {
  const { page, agent, held } = site;
  held.release();
  const { budget } = agent;
  // The only step calls a tool, so nothing can be said.
  await change(site, { budget: { ...budget, maxSteps: 1 } });
  await ask(site, `use lookup with {"q":"roses"}`);
  await page.getByRole("alert").getByText("steps are used up").waitFor();
  await change(site, { budget });
  // A rejection before the answer: the agent allows this page no more.
  await change(site, { allowedOrigins: [] });
  await ask(site, "Anyone?");
  await page.getByRole("alert").getByText("origin is not in the agent's allowedOrigins").waitFor();
  await change(site, { allowedOrigins: [site.origin] });
}

async function stops(site: RealSite): Promise<void> {
  const { page, held } = site;
  held.hold();
  await ask(site, "And now?");
  await answers(site).nth(1).locator("p").waitFor();
  await page.getByRole("button", { name: "Stop" }).click();
  await page.getByRole("button", { name: "Send" }).waitFor();
  const runId = await page.evaluate(() => sessionStorage.getItem("run")!);
  assertEquals((await site.frames(runId)).at(-1)?.frame, {
    type: "done",
    finishReason: "cancelled",
  });
}

async function resumes(site: RealSite): Promise<void> {
  const { page, held } = site;
  held.hold();
  const before = await answers(site).count();
  await ask(site, "Still there?");
  const begun = answers(site).nth(before).locator("p");
  await begun.waitFor();
  const words = await begun.innerText();
  await page.reload();
  await answers(site).getByText(words, { exact: true }).waitFor();
  held.release();
  await answers(site).getByText("You asked: “Still there?”").waitFor();
  await page.getByRole("button", { name: "Send" }).waitFor();
  assertEquals(await answers(site).count(), 1);
}

async function resumesNothingOld({ page, held }: RealSite): Promise<void> {
  held.advance(11 * 60_000);
  assertEquals(await page.evaluate("reconnect()"), null);
}

Deno.test("docs/use-chat.md: useChat of each version streams, shows tools, sources and errors, stops and resumes", async (t) => {
  await withBrowser(async (browser) => {
    for (const [version, { ai, react }] of Object.entries(VERSIONS)) {
      await t.step(`AI SDK ${version}`, async () => {
        const script = await bundle(page("Chat", "chat.tsx") + RECONNECT, {
          ai,
          "@ai-sdk/react": react,
        });
        await onPage({ script, browser }, async (site) => {
          site.held.hold();
          await streams(site);
          await asksAgain(site);
          await stops(site);
          await showsErrors(site);
          await resumes(site);
          await resumesNothingOld(site);
          await showsToolsAndSources(site);
        });
      });
    }
  });
});

/** Gives the page's script what `useChat` returns. */
const HOOK = `
import { createRoot } from "react-dom/client";
import { useChat } from "@ai-sdk/react";
import { agentTransport } from "./agent_transport";
const { transport } = agentTransport({
  service: "https://chat.example.com",
  agentId: "7d0e2f7c-4f65-4c8e-9a37-0a6f2b1f4c11",
  sessionEndpoint: "/chat-session",
});
function Hook() {
  const chat = window.chat = useChat({ transport });
  return <output>{chat.status + chat.messages.length}</output>;
}
createRoot(document.getElementById("root")).render(<Hook />);`;

Deno.test("docs/use-chat.md: the transport names the run that regenerate and an edited message replace", async (t) => {
  await withBrowser(async (browser) => {
    for (const [version, { ai, react }] of Object.entries(VERSIONS)) {
      await t.step(`AI SDK ${version}`, async () => {
        const script = await bundle(HOOK, { ai, "@ai-sdk/react": react });
        await onPage({ script, browser }, async (site) => {
          site.held.release();
          const call = async (code: string, messages: number) => {
            await site.page.evaluate(code);
            await site.page.getByText(`ready${messages}`).waitFor();
          };
          await site.page.getByText("ready0").waitFor();
          await call(`chat.sendMessage({ text: "One" })`, 2);
          await call(`chat.sendMessage({ text: "Two" })`, 4);
          await call(`chat.regenerate({ messageId: chat.messages[1].id })`, 2);
          await call(`chat.sendMessage({ text: "1", messageId: chat.messages[0].id })`, 2);
          const runs = await storedRuns(site);
          const [one, two, again, changed] = runs.map(({ runId }) => runId);
          assertEquals(
            runs.map(({ runId, messages, replaces, superseded }) => [
              ...[runId, messages.map(({ content }) => content).join(), replaces, superseded],
            ]),
            [
              [one, "One", undefined, true],
              [two, "Two", undefined, true],
              [again, "One", one, true],
              [changed, "1", again, undefined],
            ],
          );
        });
      });
    }
  });
});

Deno.test("docs/use-chat.md: assistant-ui streams an answer with the same transport", async () => {
  const script = await bundle(page("Assistant", "assistant.tsx"), {
    ai: VERSIONS["7"]!.ai,
    "@assistant-ui/react": folderOf("@assistant-ui/react", "@assistant-ui/react"),
    "@assistant-ui/react-ai-sdk": folderOf(
      "@assistant-ui/react-ai-sdk",
      "@assistant-ui/react-ai-sdk",
    ),
  });
  await withBrowser(async (browser) => {
    await onPage({ script, browser }, async (site) => {
      const { page, held } = site;
      held.release();
      await ask(site, "Hello?");
      await page.getByText("You asked: “Hello?”").waitFor();
      assertEquals(await page.getByText("Hello?", { exact: true }).count(), 1);
    });
  });
});
