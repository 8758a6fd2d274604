import { apiHandler } from "@/lib/http/api_handler.ts";
import { cachedOpenApi } from "@/lib/openapi/openapi_document.ts";
import { define } from "@/utils.ts";

/** The API as OpenAPI 3.1, public and without rate limit. */
export const handler = define.handlers(apiHandler({
  GET(ctx) {
    const { json } = cachedOpenApi(ctx.state.service.baseUrl);
    const headers = { "content-type": "application/json", "cache-control": "public, max-age=60" };
    return new Response(json, { headers });
  },
}));
