import { type Context, page, type PageResponse } from "fresh";
import { z } from "zod";
import type { State } from "@/utils.ts";
import { SCOPE } from "../../services/mcp/server_metadata.ts";
import { signedIn } from "../authorization.ts";
import { withFlashMessage } from "../flash_messages.ts";
import { readForm } from "../read_form.ts";
import { t } from "../texts/translate.ts";
import { mcpServerHref } from "./mcp_server_href.ts";
import { reauthenticate } from "../sign_in/reauthenticate.ts";
import {
  connectingUser,
  loadMcpServerPage,
  type McpFormIssues,
  type McpServerPageData,
  orProblem,
} from "./mcp_server_page.ts";

/** Visible ASCII: clients send it in headers and forms. */
const credential = z.string().trim().max(2_048).regex(/^[\x21-\x7e]*$/)
  .transform((text) => text === "" ? undefined : text);

const connectFormSchema = z.object({
  grantType: z.enum(["authorization_code", "client_credentials"]),
  clientId: credential,
  clientSecret: credential,
  scope: z.string().trim().max(2_000).regex(SCOPE)
    .transform((text) => text === "" ? undefined : text),
});

/** Carries out the forms of a server's page: connect, confirm, disconnect, and list what it offers. */
export async function actOnMcpServer(
  ctx: Context<State>,
): Promise<Response | PageResponse<McpServerPageData>> {
  const data = await loadMcpServerPage(ctx);
  if (data === undefined) return new Response(null, { status: 404 });
  const form = await readForm(ctx.req, ctx.state.service.runtime);
  switch (form.get("action")) {
    case "check":
      return await check(ctx, { data, form });
    case "confirm":
      return await confirm(ctx, { data, form });
    case "disconnect":
      await ctx.state.service.mcpAuthorizations.disconnect(signedIn(ctx.state).tenant, data.url);
      return ctx.redirect(withFlashMessage(hrefOf(data), "mcp_disconnected"), 303);
    case "describe":
      return await describe(ctx, data);
    default:
      return new Response(null, { status: 400 });
  }
}

interface Submitted {
  data: McpServerPageData;
  form: URLSearchParams;
}

async function check(ctx: Context<State>, { data, form }: Submitted) {
  const values = {
    grantType: form.get("grantType") ?? "",
    clientId: form.get("clientId") ?? "",
    scope: form.get("scope") ?? "",
  };
  const input = connectFormSchema.safeParse({
    ...values,
    clientSecret: form.get("clientSecret") ?? "",
  });
  if (!input.success) {
    return page<McpServerPageData>({ ...data, values, issues: toIssues(input.error) }, {
      status: 400,
    });
  }
  const rejected = await reauthenticate(ctx, form);
  if (rejected !== undefined) {
    return page<McpServerPageData>(
      { ...data, values, issues: { own_password: rejected.message } },
      rejected,
    );
  }
  await ctx.state.rateLimiter.count();
  const { mcpAuthorizations } = ctx.state.service;
  const user = connectingUser(ctx);
  const result = await orProblem(mcpAuthorizations.check(user, { url: data.url, ...input.data }));
  if ("problem" in result) {
    return page<McpServerPageData>({ ...data, values, problem: result.problem }, { status: 422 });
  }
  const confirmation = result.done;
  // The form's answer is a redirect to the authorization server, which may send users on to sign in at
  // any other host. Browsers check the policy at each redirect.
  ctx.state.formTargets = [new URL(confirmation.server.authorizationEndpoint).protocol];
  return page<McpServerPageData>({ ...data, confirmation });
}

function toIssues({ issues }: z.ZodError): McpFormIssues {
  const wrong = new Set(issues.map(({ path }) => path[0]));
  const key = t("A key has only visible ASCII characters without spaces.");
  return {
    ...wrong.has("grantType") && { grantType: t("Choose one of the two.") },
    ...wrong.has("clientId") && { clientId: key },
    ...wrong.has("clientSecret") && { clientSecret: key },
    ...wrong.has("scope") && { scope: t("Scopes have only visible ASCII characters.") },
  };
}

async function confirm(ctx: Context<State>, { data, form }: Submitted) {
  await ctx.state.rateLimiter.count();
  const { mcpAuthorizations } = ctx.state.service;
  const step = { url: data.url, id: form.get("id") ?? "" };
  const result = await orProblem(mcpAuthorizations.confirm(connectingUser(ctx), step));
  if ("problem" in result) {
    return page<McpServerPageData>({ ...data, problem: result.problem }, { status: 422 });
  }
  if (result.done !== undefined) {
    return new Response(null, { status: 303, headers: { location: result.done } });
  }
  return ctx.redirect(withFlashMessage(hrefOf(data), "mcp_connected"), 303);
}

async function describe(ctx: Context<State>, data: McpServerPageData) {
  await ctx.state.rateLimiter.count();
  const { agents, toolsets, closing } = ctx.state.service;
  const { tenant } = signedIn(ctx.state);
  const { tool } = data;
  if (tool === undefined) return new Response(null, { status: 400 });
  const agent = await agents.get(tenant, tool.agentId);
  const asked = { tenant, agent, name: tool.toolName, signal: closing };
  const report = await toolsets.describeServer(asked);
  return page<McpServerPageData>({ ...data, ...report && { report } });
}

function hrefOf({ url, tool }: McpServerPageData): string {
  return mcpServerHref(url, tool?.agentId);
}
