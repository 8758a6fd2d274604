import { apiHandler } from "@/lib/http/api_handler.ts";
import { LINES_TYPE } from "@/lib/http/bodies/read_json.ts";
import { requireScope } from "@/lib/http/identify_key.ts";
import { resultFormatParam, uuidParam } from "@/lib/http/request_params.ts";
import { define } from "@/utils.ts";

const TYPES = { jsonl: LINES_TYPE, csv: "text/csv; charset=utf-8" } as const;

export const handler = define.handlers(apiHandler({
  async GET(ctx) {
    const { service } = ctx.state;
    const { tenant } = await requireScope(ctx.req, ctx.state, "agents:read");
    const { id: set, testRunId } = ctx.params;
    const name = { tenant, set: uuidParam(set), id: uuidParam(testRunId) };
    const format = resultFormatParam(ctx.url);
    const lines = await service.testRunReader.export(name, format);
    const body = ReadableStream.from(lines).pipeThrough(new TextEncoderStream());
    return new Response(body, { headers: { "content-type": TYPES[format] } });
  },
}));
