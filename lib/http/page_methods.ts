import type { Context } from "fresh";
import type { State } from "../../utils.ts";
import { ApiError } from "../schemas/api_error.ts";
import { isApiPath } from "./normalize_request.ts";

/** GET includes HEAD. */
type PageMethod = "GET" | "POST";

const GET_ONLY = new Set([
  ...["/", "/demo", "/docs", "/healthz", "/metrics", "/readyz"],
  ...["/widget.v1.js", "/widget.v1.json", "/widget.v1.:hash.js"],
  ...["/schemas/agent.json", "/schemas/knowledge-base.json", "/schemas/test-set.json"],
  ...["/widget-panel.v1.:hash.js", "/widget-extras.v1.:hash.js"],
  "/widget-texts.v1.:hash.json",
  ...["/client.v1.js", "/client.v1.json", "/client.v1.:hash.js", "/client.v1.d.ts"],
  ...[
    "/home",
    "/agents",
    "/agents/:id/embed/plugin",
    "/agents/:id/feedback",
    "/agents/:id/versions",
    "/api-keys",
    "/audit",
    "/audit/export",
  ],
  ...[
    "/conversations",
    "/conversations/:id/handoff/stream",
    "/conversations/runs/:runId/stream",
    "/conversations/attachments/:attachmentId",
    "/conversations/export",
    "/conversations/:id/sealed-export",
    "/knowledge",
    "/knowledge/:id",
    "/knowledge/:id/documents/:documentId",
  ],
  "/unanswered",
  ...["/test-sets", "/test-sets/:id/export", "/test-sets/:id/runs/:testRunId/export"],
  ...["/knowledge/:id/search", "/settings", "/team", "/usage", "/usage/csv"],
  ...["/operator/models", "/operator/status", "/operator/tenants", "/operator/providers"],
  "/operator/providers/connect",
  "/search",
  ...["/sign-in/oidc", "/sign-in/oidc/callback", "/sign-in/oidc/callback/:tenant"],
  "/settings/single-sign-on/test",
  ...["/account/factors", "/account/factors/challenge"],
  ...["/mcp/callback/:server", "/mcp/client/:server"],
  ...["/agents/:id/appearance/preview", "/chat/:share", "/widget/:agent/appearance.json"],
]);

const POST_ONLY = new Set([
  ...[
    "/sign-out",
    "/sign-in/oidc/back-channel-logout",
    "/sign-in/oidc/back-channel-logout/:tenant",
    "/sign-in/passkey",
    "/account/theme",
    "/account/language",
    "/account/tenants/:id/switch",
    "/agents/check",
    "/agents/test-tool",
    "/agents/:id/try",
  ],
  ...["/conversations/runs/:runId/stop", "/conversations/runs/:runId/calls/:n"],
  "/conversations/:id/handoff/typing",
  "/test-sets/add",
  "/operator/tenants/:id/resume",
  ...["/agents/:id/try/cancel", "/agents/:id/try/call"],
  "/knowledge/:id/documents/:documentId/read-again",
  "/knowledge/:id/sources/:sourceId/refresh",
  ...["/agents/:id/appearance/session", "/agents/:id/appearance/share", "/chat/:share/session"],
]);

/** The methods of a route outside /v1, by its pattern; by default a page with a form. */
export function pageMethodsOf(route: string): PageMethod[] {
  if (GET_ONLY.has(route)) return ["GET"];
  return POST_ONLY.has(route) ? ["POST"] : ["GET", "POST"];
}

export function allowHeader(methods: readonly PageMethod[]): string {
  return methods.flatMap((method) => method === "GET" ? ["GET", "HEAD"] : [method]).join(", ");
}

/** 405 with `Allow` outside /v1, before authentication. Fresh would answer 404 or even the page. */
export async function rejectUnsupportedMethod(ctx: Context<State>): Promise<Response> {
  if (ctx.route === null || isApiPath(ctx.url.pathname)) return await ctx.next();
  const methods = pageMethodsOf(ctx.route);
  const method = ctx.req.method === "HEAD" ? "GET" : ctx.req.method;
  if (methods.some((allowed) => allowed === method)) return await ctx.next();
  const allow = allowHeader(methods);
  throw new ApiError("method_not_allowed", `this address only allows ${allow}`, {
    headers: { allow },
  });
}
