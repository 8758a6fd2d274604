import { toolIssues } from "@/lib/agent/tools/tool_faults.ts";
import { parseOrThrow, validationError } from "@/lib/errors.ts";
import { jsonHandler } from "@/lib/http/dashboard/dashboard_api.ts";
import { parseJson, readJsonText } from "@/lib/http/read_json.ts";
import { signedIn } from "@/lib/http/dashboard/signed_in.ts";
import { testTool } from "@/lib/http/dashboard/test_tool.ts";
import { toolTestSchema } from "@/lib/wire/tryout.ts";
import { define } from "@/utils.ts";

/** One call of a tool as the editor has it, with what it reached on the way. */
export const handler = define.handlers({
  POST: jsonHandler(async (ctx) => {
    const { system, chat, closing } = ctx.state.service;
    const { tenant } = signedIn(ctx.state);
    // Whoever reaches other servers through us is held to the limits of those who chat.
    await ctx.state.rateLimiter.count();
    const body = parseJson(await readJsonText(ctx.req, system));
    const { tool, agentId: id, allowedDomains, call } = parseOrThrow(toolTestSchema, body);
    const faults = await toolIssues([tool]);
    if (faults.length > 0) throw validationError(faults);
    const agent = { tools: [tool], allowedDomains, ...id !== undefined && { id } };
    const toolset = chat.openTools({ tenant, agent });
    const tested = await testTool(toolset, { call, system, signal: closing });
    return Response.json(tested);
  }),
});
