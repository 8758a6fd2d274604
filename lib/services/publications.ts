import { ApiError, parseOrThrow, validationError } from "../schemas/api_error.ts";
import { newPublicationSchema } from "../schemas/publication.ts";
import type { CountedPublication, PublicationStore } from "../store/agents/publication_store.ts";
import type { AgentService } from "./agent_service.ts";

/** What visitors get of agents, for /v1 and the dashboard. Methods throw `ApiError`. */
export class Publications {
  readonly #store: PublicationStore;
  readonly #agents: Pick<AgentService, "checkVersion">;

  constructor(store: PublicationStore, agents: Pick<AgentService, "checkVersion">) {
    this.#store = store;
    this.#agents = agents;
  }

  async get(tenant: string, id: string): Promise<CountedPublication> {
    return await this.#store.get(tenant, id) ?? notFound();
  }

  /** `asked` is unparsed; 412 if the publication's revision is not in `ifMatch`. */
  async set(
    tenant: string,
    id: string,
    options: { asked: unknown; ifMatch?: readonly number[] | undefined },
  ): Promise<CountedPublication> {
    const asked = parseOrThrow(newPublicationSchema, options.asked);
    const version = asked.mode === "manual" ? asked.version : undefined;
    if (version !== undefined) {
      await this.get(tenant, id);
      // Its knowledge base or the agents that it asks may be gone since it was saved.
      if (!await this.#agents.checkVersion(tenant, id, version)) noVersion();
    }
    const result = await this.#store.set(tenant, id, { asked, ifMatch: options.ifMatch });
    if (!("rejected" in result)) return result;
    if (result.rejected === "not_found") notFound();
    if (result.rejected === "no_version") noVersion();
    const message = "the agent's publication has changed since you read it";
    throw new ApiError("version_conflict", message);
  }
}

function noVersion(): never {
  const message = "there is no such version, or it is not stored any more";
  throw validationError([{ path: "version", code: "not_found", message }]);
}

function notFound(): never {
  throw new ApiError("not_found", "there is no such agent");
}
