import { fileSchemaResponse } from "@/lib/openapi/file_schemas.ts";
import { define } from "@/utils.ts";

/** The JSON Schema of a file of `deno task agents`, for editors. */
export const handler = define.handlers({
  GET: (ctx) => fileSchemaResponse("knowledge-base", ctx.state.service.baseUrl),
});
