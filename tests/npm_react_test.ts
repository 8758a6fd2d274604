/** `@agent-chat/react`, packed and installed, in real React in Chromium against the real service. */
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import manifest from "@/deno.json" with { type: "json" };
import react from "@/packages/react/package.json" with { type: "json" };
import client from "@/packages/client/package.json" with { type: "json" };
import { withBrowser } from "./support/browser.ts";
import {
  canReachNpm,
  type NpmProject,
  OWN_FILES_ONLY,
  readmeExamples,
} from "./support/npm_project.ts";
import { onReactSite, problems, reactProject } from "./support/react_site.ts";
import type { RealSite } from "./support/real_site.ts";

/** The other major version of React that is supported. */
const OLDER_REACT = "18.3.1";

const JSX = [
  "--exactOptionalPropertyTypes",
  "--jsx",
  "react-jsx",
  "--module",
  "esnext",
  "--moduleResolution",
  "bundler",
];

const settings = ({ base, agentId }: { base: string; agentId: string }) => ({
  options: { apiBase: base, agentId, sessionEndpoint: "/mint" },
});

async function ask({ page }: RealSite, text: string): Promise<void> {
  await page.getByLabel("Message").fill(text);
  await page.getByRole("button", { name: "Send" }).click();
}

async function status({ page }: RealSite, wanted: string): Promise<void> {
  await page.locator("output").getByText(wanted, { exact: true }).waitFor();
}

/** The rows of the conversation as `role: text`. */
async function rows({ page }: RealSite): Promise<string[]> {
  return await page.locator("li").evaluateAll((all) =>
    all.map((row) => `${row.dataset.role}: ${row.textContent}`)
  );
}

interface Rendered {
  window: string;
  widget: string;
  app: string;
}

/** The application as rendered by React in Node. */
async function renderOnServer(project: NpmProject): Promise<Rendered> {
  const code = `import { createElement } from "react";
import { renderToString } from "react-dom/server";
import { App } from "./react_app.tsx";
import { ChatWidget } from "@agent-chat/react";
const options = { apiBase: "https://chat.example.com", agentId: "a", sessionEndpoint: "/mint" };
const widget = renderToString(createElement(ChatWidget, options));
const app = renderToString(createElement(App, { options }));
console.log(JSON.stringify({ window: typeof window, widget, app }));`;
  await project.write("server.ts", code);
  return await project.runBundled("server.ts") as Rendered;
}

async function streamsAndStops(site: RealSite): Promise<void> {
  const { page, held } = site;
  await ask(site, "Hello?");
  await page.locator("li").getByText("Hello! ").waitFor();
  await status(site, "streaming");
  held.release();
  await status(site, "ready");
  const [question, answer] = await rows(site);
  assertEquals(question, "user: Hello?");
  assertStringIncludes(answer!, "You asked: “Hello?”");
  held.hold();
  await ask(site, "Again?");
  await page.locator("li:nth-child(4)").getByText("Still ").waitFor();
  await page.getByRole("button", { name: "Stop" }).click();
  await status(site, "ready");
  assertEquals((await rows(site)).slice(2), ["user: Again?", "assistant: Still "]);
  const finished = await page.evaluate<{ id: string; finishReason: string }[]>("finished");
  assertEquals(finished.map(({ finishReason }) => finishReason), ["stop", "cancelled"]);
  // The id of an answer is its run's.
  const frames = await site.frames(finished[1]!.id);
  assertEquals(frames.at(-1)?.frame, { type: "done", finishReason: "cancelled" });
}

async function resumes(site: RealSite): Promise<void> {
  const { page, held } = site;
  await ask(site, "Hello?");
  await page.locator("li").getByText("Hello! ").waitFor();
  for (const leave of ["reload", "unmount"] as const) {
    if (leave === "reload") await page.reload();
    else {
      const toggle = page.getByRole("button", { name: "Toggle" });
      await toggle.click();
      await page.locator("form").waitFor({ state: "detached" });
      await toggle.click();
    }
    await status(site, "streaming");
    assertEquals(await rows(site), ["user: Hello?", "assistant: Hello! "]);
  }
  held.release();
  await status(site, "ready");
  const [, answer, ...more] = await rows(site);
  assertEquals([answer!.split("Hello!").length, more], [2, []]);
  assertStringIncludes(answer!, "You asked: “Hello?”");
  const [{ id }] = await page.evaluate<[{ id: string }]>("finished");
  const [start] = await site.frames(id);
  assert(start?.frame.type === "start");
  await page.reload();
  await page.locator("li").nth(1).waitFor();
  assertEquals((await rows(site)).length, 2);
  await page.getByRole("button", { name: "Reset" }).click();
  await page.reload();
  await status(site, "ready");
  assertEquals(await rows(site), []);
}

Deno.test("useAgentChat: streams, stops, and resumes after a reload and a new mount, in strict mode", async () => {
  await using project = await reactProject();
  const script = project.bundle("react_app.tsx");
  await withBrowser(async (browser) => {
    for (const journey of [streamsAndStops, resumes]) {
      await onReactSite({ browser, script, settings }, async (site) => {
        await journey(site);
        assertEquals(problems(site), []);
      });
    }
  });
});

Deno.test("useAgentChat: says that it reconnects when the connection breaks, and completes the answer", async () => {
  await using project = await reactProject();
  const script = project.bundle("react_app.tsx");
  await onReactSite({ script, settings }, async (site) => {
    await ask(site, "Hello?");
    await status(site, "streaming");
    site.network.cut();
    await status(site, "reconnecting");
    await status(site, "streaming");
    site.held.release();
    await status(site, "ready");
    const [, answer, ...more] = await rows(site);
    assertEquals([answer!.split("Hello!").length, more], [2, []]);
    assertStringIncludes(answer!, "You asked: “Hello?”");
    assertEquals(await site.page.evaluate("frames.filter((type) => type === 'start').length"), 1);
  });
});

Deno.test("useAgentChat: shows a rejection with its status, and retries", async () => {
  await using project = await reactProject();
  const script = project.bundle("react_app.tsx");
  await onReactSite({ script, settings }, async (site) => {
    const { page, held } = site;
    held.release();
    const down = { status: 503, json: { code: "service_unavailable" } };
    await page.route("**/mint", (route) => route.fulfill(down), { times: 1 });
    await ask(site, "Hello?");
    await status(site, "error");
    assertEquals(await page.getByRole("alert").innerText(), "service_unavailable 503");
    assertEquals(await rows(site), ["user: Hello?"]);
    await page.getByRole("button", { name: "Retry" }).click();
    await status(site, "ready");
    assertStringIncludes((await rows(site))[1]!, "You asked: “Hello?”");
    await site.service.fetch(`/v1/agents/${site.agent.id}`, { method: "DELETE", key: site.key });
    await ask(site, "Still there?");
    await status(site, "error");
    assertEquals(await page.getByRole("button", { name: "Retry" }).isEnabled(), false);
    assertEquals(await page.getByRole("alert").count(), 1);
  });
});

Deno.test("@agent-chat/react: renders on the server without a window, and hydrates what was rendered", async () => {
  await using project = await reactProject();
  const rendered = await renderOnServer(project);
  assertEquals([rendered.window, rendered.widget], ["undefined", ""]);
  assertStringIncludes(rendered.app, "<output>ready</output>");
  const script = project.bundle("react_app.tsx");
  await onReactSite({ script, settings, markup: rendered.app }, async (site) => {
    site.held.release();
    await ask(site, "Hello?");
    await site.page.locator("li").getByText("You asked").waitFor();
    await status(site, "ready");
    await site.page.reload();
    await site.page.locator("li").getByText("You asked").waitFor();
    assertEquals(problems(site), []);
  });
});

Deno.test("@agent-chat/react: the README's examples run and check under strict", async () => {
  await using project = await reactProject();
  const examples = await readmeExamples("react", "tsx");
  assertEquals(examples.length, 2);
  for (const [n, code] of examples.entries()) await project.write(`example${n}.tsx`, code);
  assertEquals(
    await project.typeErrors(["example0.tsx", "example1.tsx"], [...JSX, OWN_FILES_ONLY]),
    "",
  );
  const mount =
    `import { createRoot } from "react-dom/client"; import { Chat } from "./example0.tsx";
import { Shop } from "./example1.tsx";
createRoot(document.getElementById("root")).render(<><Chat /><Shop /></>);`;
  await project.write("examples.tsx", mount);
  const script = project.bundle("examples.tsx");
  await onReactSite({ script, settings: () => ({}) }, async (site) => {
    site.held.release();
    await site.page.getByLabel("Message", { exact: true }).first().fill("Where is my order?");
    await site.page.getByRole("button", { name: "Send" }).first().click();
    await site.page.getByText("You asked: “Where is my order?”").waitFor();
    await site.page.locator("service-widget").waitFor({ state: "attached" });
    assertEquals(problems(site), []);
  });
});

Deno.test("@agent-chat/react: its types check under strict, and its files and versions belong together", async () => {
  await using project = await reactProject();
  const folder = `${project.folder}/node_modules/@agent-chat/react`;
  const files = [...Deno.readDirSync(folder)].map(({ name }) => name).sort();
  assertEquals(files, ["LICENSE", "README.md", "dist", "package.json"]);
  // Without it Next.js would run the hook on the server.
  assertMatch(await Deno.readTextFile(`${folder}/dist/mod.js`), /^"use client";/);
  assertEquals(await project.typeErrors(["react_app.tsx", "widget_app.tsx"], JSX), "");
  const wrong = `import { ChatWidget, useAgentChat } from "@agent-chat/react";
export const one = <ChatWidget apiBase="" agentId="" theme="pink" />;
useAgentChat({ agentId: "" });`;
  await project.write("wrong.tsx", wrong);
  const errors = await project.typeErrors(["wrong.tsx"], [...JSX, OWN_FILES_ONLY]);
  assertEquals([...errors.matchAll(/TS\d+/g)].map(String), ["TS2322", "TS2345"]);
  assertEquals([react.version, client.version], [manifest.version, manifest.version]);
  assertEquals(react.dependencies, { "@agent-chat/client": client.version });
});

Deno.test({
  name: `useAgentChat: streams, stops and resumes in React ${OLDER_REACT}, which npm fetches`,
  ignore: !await canReachNpm(`react@${OLDER_REACT}`),
  async fn() {
    await using project = await reactProject(OLDER_REACT);
    const script = project.bundle("react_app.tsx");
    await withBrowser(async (browser) => {
      for (const journey of [streamsAndStops, resumes]) {
        await onReactSite({ browser, script, settings }, async (site) => {
          await journey(site);
          assertEquals(problems(site), []);
        });
      }
    });
  },
});
