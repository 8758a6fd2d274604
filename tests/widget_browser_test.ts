/** The built script in a real browser, against a service that speaks the frames of the contract. */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import type { Page } from "playwright-core";
import type { Frame } from "../lib/wire/frames.ts";
import { describeWidgetBundle } from "../lib/widget_bundle.ts";
import { type PageOptions, withPage } from "./support/browser.ts";
import { bundleWidget } from "../tools/bundle_widget.ts";

const AGENT = "7d0e2f7c-4f65-4c8e-9a37-0a6f2b1f4c11";
const RUN = "0b6c7a1e-57c3-4a52-9c1c-3d9a5a1f0e77";
const BODY: Frame[] = [
  {
    type: "start",
    requestId: "request-1",
    runId: RUN,
    provider: "vendor_a",
    model: "demo",
    conversationId: "5f1c2d3e-aaaa-4bbb-8ccc-121212121212",
  },
  { type: "delta", text: "Line one\n<img src=x onerror=alert(1)>" },
  { type: "done", finishReason: "stop" },
];
const OPEN_HEADERS = { "access-control-allow-origin": "*", "access-control-allow-headers": "*" };

interface Site {
  page: Page;
  console: { text: string }[];
  /** Lets the answer go on after its first words. */
  finish: () => void;
  cancelled: Promise<string>;
}

/** A page of a shop with a strict policy, the service on another origin, and one open browser. */
async function onSite(
  tags: (base: string, integrity: string) => string,
  use: (site: Site) => Promise<void>,
  options: PageOptions = {},
): Promise<void> {
  const bundle = await describeWidgetBundle(await bundleWidget());
  const gate = Promise.withResolvers<void>();
  const cancelled = Promise.withResolvers<string>();
  const quiet = { port: 0, hostname: "127.0.0.1", onListen() {} };
  await using service = Deno.serve(quiet, (request) => {
    const { pathname } = new URL(request.url);
    if (pathname === "/widget.v1.js") return script(bundle.body);
    if (request.method === "OPTIONS") return new Response(null, { headers: OPEN_HEADERS });
    if (!pathname.endsWith("/cancel")) return chat(gate.promise);
    cancelled.resolve(pathname);
    return new Response(null, { status: 202, headers: OPEN_HEADERS });
  });
  const base = `http://127.0.0.1:${service.addr.port}`;
  const policy = `default-src 'none'; script-src ${base}; connect-src ${base}; style-src 'none'`;
  await using shop = Deno.serve(quiet, () => {
    const html = `<!doctype html><link rel="icon" href="data:,"><h1>Shop</h1>${
      tags(base, bundle.integrity)
    }`;
    const type = "text/html; charset=utf-8";
    return new Response(html, {
      headers: { "content-type": type, "content-security-policy": `${policy}; img-src data:` },
    });
  });
  const baseUrl = `http://127.0.0.1:${shop.addr.port}`;
  await withPage({ ...options, baseUrl }, async (page, console) => {
    await page.goto("/");
    await use({ page, console, finish: gate.resolve, cancelled: cancelled.promise });
  });
  gate.resolve();
}

function script(body: BodyInit): Response {
  const type = "text/javascript; charset=utf-8";
  return new Response(body, { headers: { ...OPEN_HEADERS, "content-type": type } });
}

/** Start and the first words at once, the end when `gate` opens; cut by the client at any time. */
function chat(gate: Promise<void>): Response {
  const bytes = BODY.map((frame) =>
    new TextEncoder().encode(`event: ${frame.type}\ndata: ${JSON.stringify(frame)}\n\n`)
  );
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
    async start(controller) {
      for (const frame of bytes.slice(0, -1)) controller.enqueue(frame);
      await gate;
      try {
        controller.enqueue(bytes.at(-1)!);
        controller.close();
      } catch { /* the client has left */ }
    },
  });
  return new Response(body, { headers: { ...OPEN_HEADERS, "content-type": "text/event-stream" } });
}

function tag(base: string, integrity: string): string {
  return `<script src="${base}/widget.v1.js" integrity="${integrity}" crossorigin="anonymous"
    data-service-widget data-api-base="${base}" data-agent-id="${AGENT}"
    data-session-token="cs_0123456789abcdef"></script>`;
}

const send = async (page: Page, text: string) => {
  await page.getByRole("button", { name: "Open chat" }).click();
  await page.getByRole("textbox").fill(text);
  await page.getByRole("textbox").press("Enter");
};
const focused = (page: Page) =>
  page.evaluate("document.activeElement.shadowRoot?.activeElement?.className");

Deno.test("widget: the specification's tag streams an answer as text under a strict policy", async () => {
  await onSite(tag, async ({ page, console, finish }) => {
    await send(page, "Hello?");
    const log = page.getByRole("log");
    await log.locator(".caret").waitFor();
    assertEquals(await log.getAttribute("aria-busy"), "true");
    assertEquals(await page.getByRole("status").textContent(), "");
    finish();
    await page.getByRole("button", { name: "Send message" }).waitFor();
    assertEquals(
      await log.locator(".turn:last-child .bubble").innerText(),
      "Line one\n<img src=x onerror=alert(1)>",
    );
    assertStringIncludes((await page.getByRole("status").textContent())!, "Line one");
    assertEquals(await page.evaluate("localStorage.length + document.cookie.length"), 0);
    assertEquals(console.map((line) => line.text), []);
  });
});

Deno.test("widget: focus goes into the input on open and back to the launcher on Escape", async () => {
  await onSite(tag, async ({ page }) => {
    await page.getByRole("button", { name: "Open chat" }).press("Enter");
    await page.getByRole("dialog").waitFor();
    assertEquals(await focused(page), "input");
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "hidden" });
    assertEquals(await focused(page), "launcher");
  });
});

Deno.test("widget: stopping keeps the words, tells the service and keeps the focus", async () => {
  await onSite(tag, async ({ page, cancelled }) => {
    await send(page, "Hello?");
    await page.locator(".caret").waitFor();
    await page.getByRole("button", { name: "Stop answering" }).click();
    assertEquals(await cancelled, `/v1/chat/runs/${RUN}/cancel`);
    await page.getByText("Stopped", { exact: true }).waitFor();
    assertEquals(await focused(page), "action");
  });
});

Deno.test("widget: a second tag gets the first one's handle, a tag without the marker nothing", async () => {
  const unmarked = (base: string, integrity: string) =>
    tag(base, integrity).replace("data-service-widget ", "");
  const two = (base: string, integrity: string) => tag(base, integrity) + tag(base, integrity);
  await onSite(two, async ({ page }) => {
    assertEquals(await page.locator("service-widget").count(), 1);
    const scripts = "[...document.scripts].map((s) => s.serviceWidget === window.serviceWidget)";
    assertEquals(await page.evaluate(scripts), [true, true]);
    await page.evaluate("serviceWidget.destroy()");
    assertEquals(await page.locator("service-widget").count(), 0);
    assertEquals(await page.evaluate("window.serviceWidget"), undefined);
  });
  await onSite(unmarked, async ({ page }) => {
    assertEquals(await page.locator("service-widget").count(), 0);
  });
});

Deno.test("widget: at 360 px the open panel fills the screen and the input does not zoom", async () => {
  await onSite(tag, async ({ page }) => {
    await page.getByRole("button", { name: "Open chat" }).click();
    const panel = page.getByRole("dialog");
    await panel.evaluate((element) =>
      Promise.all(element.getAnimations().map((animation) => animation.finished))
    );
    assertEquals(await panel.boundingBox(), { x: 0, y: 0, width: 360, height: 740 });
    const size = await page.getByRole("textbox").evaluate((input) =>
      getComputedStyle(input).fontSize
    );
    assert(parseFloat(size) >= 16);
  }, { width: 360, height: 740 });
});
