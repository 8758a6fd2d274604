import type { CountedPublication } from "../services/publishing/publications.ts";
import { apiHandler } from "./api_handler.ts";
import { discardBody, parseJson, readJsonText } from "./bodies/read_json.ts";
import { entityTag, ifMatchVersions } from "./entity_tag.ts";
import { type AgentScope, requireScope } from "./identify_key.ts";
import { uuidParam } from "./request_params.ts";

export function publicationResponse({ publication, revision }: CountedPublication): Response {
  return Response.json(publication, { headers: { etag: entityTag(revision) } });
}

/** Handlers of a part of a publication; they return the whole publication. */
export function publicationPart(part: {
  set: "setCanary" | "setGate";
  delete: "endCanary" | "deleteGate";
}) {
  // A gate names a test set, and the cases of one may ask any agent.
  const scopeOf = (agentId: string | undefined): AgentScope => ({
    scope: "agents:write",
    agentId: part.set === "setGate" ? undefined : agentId,
  });
  return apiHandler({
    async PUT(ctx) {
      const { publications, runtime } = ctx.state.service;
      const text = await readJsonText(ctx.req, runtime);
      const { tenant } = await requireScope(ctx.req, ctx.state, scopeOf(ctx.params.id));
      const asked = parseJson(text);
      const name = { tenant, id: uuidParam(ctx.params.id) };
      const ifMatch = ifMatchVersions(ctx.req);
      return publicationResponse(await publications[part.set](name, { asked, ifMatch }));
    },

    async DELETE(ctx) {
      const { publications, runtime } = ctx.state.service;
      await discardBody(ctx.req, runtime);
      const { tenant } = await requireScope(ctx.req, ctx.state, scopeOf(ctx.params.id));
      const name = { tenant, id: uuidParam(ctx.params.id) };
      const ifMatch = ifMatchVersions(ctx.req);
      return publicationResponse(await publications[part.delete](name, { ifMatch }));
    },
  });
}
