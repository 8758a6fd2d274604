import { apiHandler } from "@/lib/http/api_handler.ts";
import { discardBody, parseJson, readJsonText } from "@/lib/http/bodies/read_json.ts";
import { servicesFor } from "@/lib/http/configuration_lock.ts";
import { ifMatchHashes } from "@/lib/http/entity_tag.ts";
import { requireScope } from "@/lib/http/identify_key.ts";
import { uuidParam } from "@/lib/http/request_params.ts";
import type { TestCase } from "@/lib/schemas/test_case.ts";
import { testCaseTag } from "@/lib/http/test_case_tag.ts";
import { define } from "@/utils.ts";

export const handler = define.handlers(apiHandler({
  async GET(ctx) {
    const { service } = ctx.state;
    const { tenant } = await requireScope(ctx.req, ctx.state, "agents:read");
    const { id, caseId } = ctx.params;
    const name = { tenant, set: uuidParam(id), id: uuidParam(caseId) };
    return caseResponse(await service.testCases.get(name));
  },

  async PUT(ctx) {
    const { service } = ctx.state;
    const text = await readJsonText(ctx.req, service.runtime);
    const { tenant } = await requireScope(ctx.req, ctx.state, "agents:write");
    const { id, caseId } = ctx.params;
    const name = { tenant, set: uuidParam(id), id: uuidParam(caseId) };
    const { testCases } = await servicesFor(ctx, tenant);
    const options = { ifMatch: ifMatchHashes(ctx.req) };
    return caseResponse(await testCases.replace(name, parseJson(text), options));
  },

  async DELETE(ctx) {
    const { service } = ctx.state;
    await discardBody(ctx.req, service.runtime);
    const { tenant } = await requireScope(ctx.req, ctx.state, "agents:write");
    const { id, caseId } = ctx.params;
    const name = { tenant, set: uuidParam(id), id: uuidParam(caseId) };
    const { testCases } = await servicesFor(ctx, tenant);
    await testCases.delete(name, { ifMatch: ifMatchHashes(ctx.req) });
    return new Response(null, { status: 204 });
  },
}));

function caseResponse({ id, createdAt, updatedAt, ...body }: TestCase): Response {
  const headers = { etag: testCaseTag(body) };
  return Response.json({ id, ...body, createdAt, updatedAt }, { headers });
}
