import type { Page } from "playwright-core";
import { describeScript, pinnedPath } from "../../lib/store/script_bundle.ts";
import { buildWidget } from "../../tools/bundle_widget.ts";
import { type ConsoleLine, type PageOptions, withPage } from "./browser.ts";
import { FakeChat } from "./fake_chat.ts";

export const AGENT = "7d0e2f7c-4f65-4c8e-9a37-0a6f2b1f4c11";

export interface Site {
  readonly page: Page;
  readonly console: ConsoleLine[];
  readonly chat: FakeChat;
  /** Paths requested from the shop's server, after the page itself. */
  readonly asked: string[];
}

/** A script of the service. */
type File = Awaited<ReturnType<typeof describeScript>>;
type Files = Record<"launcher" | "panel" | "extras" | "texts", File>;

export interface SiteOptions extends PageOptions {
  /** More attributes of the tag. */
  readonly attributes?: string;
  /** Attributes of the page's own elements. */
  readonly elements?: { readonly html?: string; readonly body?: string };
  /** Instead of the one tag. */
  readonly html?: (tag: string) => string;
  /** What the service has for the agent. */
  readonly appearance?: Record<string, unknown>;
  /** Body of the shop's mint responses. */
  readonly mint?: () => unknown;
  /** Replaces the documented strict policy; a function gets the service's origin and its files. */
  readonly policy?: string | ((base: string, files: Files) => string);
  readonly beforeLoad?: (page: Page) => Promise<void>;
}

/** Built once for all pages of a test file. */
const bundled = (() => {
  const describe = async (): Promise<Files> => {
    const { launcher, panel, extras, texts } = await buildWidget();
    return {
      launcher: await describeScript(launcher.bytes),
      panel: await describeScript(panel.bytes),
      extras: await describeScript(extras.bytes),
      texts: await describeScript(texts.bytes),
    };
  };
  let bundle: ReturnType<typeof describe> | undefined;
  return () => bundle ??= describe();
})();

/**
 * A shop with a strict policy and Trusted Types, the service on another origin, and one open browser.
 */
export async function onSite(
  options: SiteOptions,
  use: (site: Site) => Promise<void>,
): Promise<void> {
  const files = await bundled();
  const { launcher, panel, extras, texts } = files;
  const chat = new FakeChat();
  const asked: string[] = [];
  const quiet = { port: 0, hostname: "127.0.0.1", onListen() {} };
  await using service = Deno.serve(quiet, (request) => {
    const { pathname } = new URL(request.url);
    if (/^\/widget\/[^/]+\/appearance\.json$/.test(pathname)) {
      const headers = { "access-control-allow-origin": "*" };
      return Response.json(options.appearance ?? {}, { headers });
    }
    const file = {
      "/widget.v1.js": launcher,
      [pinnedPath("widget-panel", panel)]: panel,
      [pinnedPath("widget-extras", extras)]: extras,
      [pinnedPath("widget-texts", texts)]: texts,
    }[pathname];
    if (file === undefined) return chat.handle(request);
    const headers = { "content-type": "text/javascript", "access-control-allow-origin": "*" };
    return new Response(file.body, { headers });
  });
  const base = `http://127.0.0.1:${service.addr.port}`;
  const tag = tagOf(base, launcher.integrity, options.attributes ?? "");
  await using shop = Deno.serve(quiet, async (request) => {
    const { pathname } = new URL(request.url);
    if (pathname === "/") {
      const { policy = policyOf } = options;
      const header = typeof policy === "string" ? policy : policy(base, files);
      return pageOf(options.html?.(tag) ?? tag, header, options.elements);
    }
    asked.push(`${request.method} ${pathname}`);
    await request.body?.cancel();
    return pathname === "/mint" ? Response.json(options.mint?.(), { status: 201 }) : pixel();
  });
  const baseUrl = `http://127.0.0.1:${shop.addr.port}`;
  await withPage({ ...options, baseUrl }, async (page, console) => {
    await options.beforeLoad?.(page);
    await page.goto("/");
    // The launcher waits for the agent's appearance. Other tags and policies may start no widget.
    if (options.html === undefined && options.policy === undefined) {
      await page.locator("service-widget").waitFor({ state: "attached" });
    }
    await use({ page, console, chat, asked });
  }).finally(() => chat.cut()); // an open answer would keep the service from closing
}

function tagOf(base: string, integrity: string, attributes: string): string {
  const token = attributes.includes("data-session-endpoint")
    ? ""
    : `data-session-token="cs_0123456789abcdef"`;
  return `<script src="${base}/widget.v1.js" integrity="${integrity}" crossorigin="anonymous"
    data-service-widget data-api-base="${base}" data-agent-id="${AGENT}" ${token}
    ${attributes}></script>`;
}

function policyOf(base: string): string {
  return `default-src 'none'; script-src ${base}; connect-src 'self' ${base}; style-src 'self'; ` +
    `img-src 'self' data:; form-action 'none'; base-uri 'none'; ` +
    `require-trusted-types-for 'script'; trusted-types service-widget`;
}

function pageOf(
  content: string,
  policy: string,
  { html: root = "", body = "" }: SiteOptions["elements"] = {},
): Response {
  const html = `<!doctype html><html lang="en" ${root}><head><title>Shop</title>
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <link rel="icon" href="data:,"></head><body ${body}><main><h1>Shop</h1>
    <p>Fine things.</p></main>${content}</body></html>`;
  return new Response(html, {
    headers: { "content-type": "text/html; charset=utf-8", "content-security-policy": policy },
  });
}

function pixel(): Response {
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"/>`;
  return new Response(svg, { headers: { "content-type": "image/svg+xml" } });
}

/** Opens the panel and sends a message; resolves on the response head, before any text. */
export async function ask(page: Page, text: string): Promise<void> {
  await page.getByRole("button", { name: "Open chat" }).click();
  await page.getByRole("textbox").fill(text);
  await answered(page, () => page.getByRole("textbox").press("Enter"));
}

/** Runs an action that sends a message; resolves like `ask`. */
export async function answered(page: Page, act: () => Promise<void>): Promise<void> {
  const response = page.waitForResponse(/\/stream$/);
  await act();
  await response;
}

/** Class of the focused element inside the widget. */
export function focused(page: Page): Promise<unknown> {
  return page.evaluate("document.activeElement.shadowRoot?.activeElement?.className");
}

/** Waits until all finite animations of the widget have ended. */
export async function atRest(page: Page): Promise<void> {
  await page.evaluate(async () => {
    const root = document.querySelector("service-widget")?.shadowRoot;
    const all = [...document.getAnimations(), ...root?.getAnimations() ?? []];
    const finite = all.filter((a) => a.effect!.getTiming().iterations === 1);
    // An animation also ends when its element is removed.
    await Promise.allSettled(finite.map((animation) => animation.finished));
  });
}
