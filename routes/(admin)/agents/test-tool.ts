import { parseOrThrow } from "@/lib/schemas/api_error.ts";
import { jsonHandler } from "@/lib/dashboard/json_handler.ts";
import { parseJson, readJsonText } from "@/lib/http/bodies/read_json.ts";
import { signedIn } from "@/lib/dashboard/authorization.ts";
import { networkNote, requireValidTool, testTool } from "@/lib/dashboard/agents/playground.ts";
import { toolTestSchema } from "@/lib/schemas/playground.ts";
import { define } from "@/utils.ts";

/** Calls an unsaved tool of the editor and returns its output and requests. */
export const handler = define.handlers({
  POST: jsonHandler(async (ctx) => {
    const { runtime, chat, closing } = ctx.state.service;
    const { tenant, operator } = signedIn(ctx.state);
    // Test calls reach other servers, so they count against the same rate limit as chats.
    await ctx.state.rateLimiter.count();
    const body = parseJson(await readJsonText(ctx.req, runtime));
    const { tool, agentId: id, allowedDomains, call } = parseOrThrow(toolTestSchema, body);
    await requireValidTool(tool);
    const agent = { tools: [tool], allowedDomains, ...id !== undefined && { id } };
    const toolset = chat.openTools({ tenant, agent });
    const tested = await testTool(toolset, { call, runtime, signal: closing });
    const note = networkNote(tested, { tool, tenant, allowedDomains, isOperator: operator });
    return Response.json(
      note === undefined ? tested : { ...tested, notes: [...tested.notes, note] },
    );
  }),
});
