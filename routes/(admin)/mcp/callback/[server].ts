import { mcpServerHref } from "@/lib/dashboard/mcp/mcp_server_href.ts";
import { connectingUser, orProblem } from "@/lib/dashboard/mcp/mcp_server_page.ts";
import { withFlashMessage } from "@/lib/dashboard/flash_messages.ts";
import { define } from "@/utils.ts";

/** Where an authorization server sends the user back to, with a code or an error. */
export const handler = define.handlers({
  async GET(ctx) {
    const { mcpAuthorizations } = ctx.state.service;
    const params = ctx.url.searchParams;
    const result = await orProblem(mcpAuthorizations.finish(connectingUser(ctx), {
      serverId: ctx.params.server ?? "",
      state: params.get("state") ?? "",
      code: params.get("code") ?? undefined,
      error: params.get("error") ?? undefined,
      iss: params.get("iss") ?? undefined,
    }));
    // Nothing of the address stays in the browser's history: it holds the code.
    if ("done" in result) {
      return ctx.redirect(withFlashMessage(mcpServerHref(result.done), "mcp_connected"), 303);
    }
    return ctx.redirect(`/settings?problem=${result.problem}#mcp-servers`, 303);
  },
});
