import type { Page } from "playwright-core";
import type { CatalogueEntry } from "@/lib/store/providers/catalogue_store.ts";
import type { Agent } from "@/lib/schemas/agent.ts";
import { type ConsoleLine, type PageOptions, withPage } from "./browser.ts";
import type { BufferingProxy } from "./buffering_proxy.ts";
import { CuttingProxy } from "./cutting_proxy.ts";
import { type PausableRuntime, pausableRuntime } from "./pausable_runtime.ts";
import { readFrames, type ReceivedFrame } from "./frames.ts";
import { TestService } from "./service.ts";
import { openTestKv } from "./open_kv.ts";

export interface RealSite {
  readonly page: Page;
  readonly console: ConsoleLine[];
  readonly service: TestService;
  readonly kv: Deno.Kv;
  /** Runs pause after their first word until they are released. */
  readonly held: PausableRuntime;
  readonly agent: Agent;
  readonly key: string;
  /** The page's origin. */
  readonly origin: string;
  /** Tokens minted for the page, in order. */
  readonly minted: string[];
  /** The proxy between page and service. */
  readonly network: CuttingProxy;
  mint(): Promise<string>;
  /** Every frame of a run, once it has ended. */
  frames(runId: string): Promise<ReceivedFrame[]>;
}

export interface RealSiteOptions extends PageOptions {
  readonly attributes?: string;
  /** More fields of the agent. */
  readonly agent?: Record<string, unknown>;
  readonly beforeLoad?: (page: Page) => Promise<void>;
  /** For whom sessions are minted. */
  readonly visitor?: Record<string, unknown>;
  /** The page's backend mints tokens; otherwise the tag has one. */
  readonly endpoint?: boolean;
  /** Starts a proxy for the page's requests to the service, in place of `network`. */
  readonly proxy?: (upstream: string) => BufferingProxy | Promise<BufferingProxy>;
  /** Provider connections and other settings of the service, and its models. */
  readonly env?: Record<string, string>;
  readonly catalogue?: readonly CatalogueEntry[];
  /** Instead of the tag. */
  readonly html?: (parts: { base: string; agent: Agent; token: string }) => string;
}

/** A shop page with the widget, and the real service behind a network that can be cut. */
export async function onRealSite(
  options: RealSiteOptions,
  use: (site: RealSite) => Promise<void>,
): Promise<void> {
  const held = pausableRuntime();
  using kv = await openTestKv();
  const { env, catalogue = [] } = options;
  await using service = await TestService.start({
    ...{ kv, keepKv: true, runtime: held.runtime },
    ...env && { env },
  });
  await service.service.catalogue.addMissing(catalogue);
  const port = Number(new URL(service.url).port);
  await using network = new CuttingProxy(() => ({ port, bytes: Infinity }));
  await using proxy = await options.proxy?.(service.url);
  const minted: string[] = [];
  const key = await service.key(["agents:write", "widget:mint", "billing:read"]);
  // The agent needs the page's origin, and the page the agent.
  const site: { agent?: Agent; mint?: () => Promise<string> } = {};
  const handle = async ({ url }: Request) => {
    const { pathname } = new URL(url);
    if (pathname === "/mint") {
      return Response.json({ sessionToken: await site.mint!(), messageCap: 50 }, { status: 201 });
    }
    if (pathname !== "/") return new Response(null, { status: 404 });
    const token = options.endpoint ? "" : await site.mint!();
    const parts = { base: proxy?.url ?? network.url, agent: site.agent!, token };
    return pageOf((options.html ?? tagOf(service, options.attributes))(parts));
  };
  await using shop = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, handle);
  const origin = `http://127.0.0.1:${shop.addr.port}`;
  const agent = await service.agent(key, { allowedOrigins: [origin], ...options.agent });
  const mint = async () => {
    const json = { agentId: agent.id, visitor: options.visitor };
    const headers = { origin };
    const call = { method: "POST", key, json, headers };
    const { sessionToken } = await (await service.fetch("/v1/widget/session", call)).json();
    minted.push(sessionToken);
    return sessionToken;
  };
  Object.assign(site, { agent, mint });
  const frames = async (runId: string) =>
    await readFrames(await service.fetch(`/v1/chat/runs/${runId}/stream`, { key }));
  await withPage({ ...options, baseUrl: origin }, async (page, console) => {
    const parts = { page, console, service, kv, held, agent, key, origin, minted, network };
    await options.beforeLoad?.(page);
    await page.goto("/");
    await use({ ...parts, mint, frames });
  }).finally(() => held.release()); // a paused answer would keep the service from closing
}

function tagOf({ service }: TestService, attributes = "") {
  return ({ base, agent, token }: { base: string; agent: Agent; token: string }) =>
    `<script src="${base}/widget.v1.js" integrity="${service.widget.integrity}"
      crossorigin="anonymous" data-service-widget data-api-base="${base}"
      data-agent-id="${agent.id}"
      ${token ? `data-session-token="${token}"` : `data-session-endpoint="/mint"`}
      ${attributes}></script>`;
}

function pageOf(body: string): Response {
  const html = `<!doctype html><html lang="en"><head><title>Shop</title>
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <link rel="icon" href="data:,"></head><body><main><h1>Shop</h1></main>${body}</body></html>`;
  return new Response(html, { headers: { "content-type": "text/html; charset=utf-8" } });
}
