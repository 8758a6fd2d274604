import { apiHandler } from "@/lib/http/api_handler.ts";
import { LINES_TYPE } from "@/lib/http/bodies/read_json.ts";
import { requireScope } from "@/lib/http/identify_key.ts";
import { uuidParam } from "@/lib/http/request_params.ts";
import { define } from "@/utils.ts";

export const handler = define.handlers(apiHandler({
  async GET(ctx) {
    const { service } = ctx.state;
    const { tenant } = await requireScope(ctx.req, ctx.state, "agents:read");
    const lines = await service.testCases.export({ tenant, id: uuidParam(ctx.params.id) });
    const body = ReadableStream.from(lines).pipeThrough(new TextEncoderStream());
    return new Response(body, { headers: { "content-type": LINES_TYPE } });
  },
}));
