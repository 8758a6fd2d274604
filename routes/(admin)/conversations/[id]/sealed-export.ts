import { signedIn } from "@/lib/dashboard/authorization.ts";
import {
  conversationFilterParams,
  undefinedIfNotFound,
  uuidParam,
} from "@/lib/http/request_params.ts";
import { define } from "@/utils.ts";

/** The conversation with the seals of its runs, for `deno task verify`. */
export const handler = define.handlers({
  async GET(ctx) {
    const { conversationAudit, runSeals } = ctx.state.service;
    const { tenant } = signedIn(ctx.state);
    const filter = conversationFilterParams(ctx.url);
    const found = await undefinedIfNotFound(async () => {
      const id = uuidParam(ctx.params.id);
      return { id, lines: await runSeals.export(tenant, id, filter) };
    });
    if (found === undefined) return new Response(null, { status: 404 });
    const { id, lines } = found;
    await conversationAudit.recordSealedExport(tenant, id);
    const body = ReadableStream.from(lines).pipeThrough(new TextEncoderStream());
    return new Response(body, {
      headers: {
        "content-type": "application/x-ndjson; charset=utf-8",
        "content-disposition": `attachment; filename="conversation-${id}.sealed.jsonl"`,
        "cache-control": "no-store",
      },
    });
  },
});
