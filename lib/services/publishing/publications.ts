import { ApiError, parseOrThrow, validationError } from "../../schemas/api_error.ts";
import {
  newCanarySchema,
  newPublicationSchema,
  type Publication,
  publishGateSchema,
} from "../../schemas/publication.ts";
import type {
  PublicationRejection,
  PublicationResult,
  PublicationStore,
} from "../../store/agents/publication_store.ts";
import type { PublicationState } from "../../store/agents/stored_publication.ts";
import type { AgentService } from "../agent_service.ts";
import type { CanaryWatch } from "./canary_watch.ts";
import type { PublishGates } from "./publish_gates.ts";
import { toPublication } from "./to_publication.ts";

/** A publication with the number of its state, for `ETag`. */
export interface CountedPublication {
  publication: Publication;
  revision: number;
}

interface PublicationsDeps {
  store: PublicationStore;
  agents: Pick<AgentService, "checkVersion">;
  gates: Pick<PublishGates, "check" | "checkGate">;
  canaries: Pick<CanaryWatch, "counts">;
}

type AgentName = { tenant: string; id: string };

/** `asked` is unparsed; 412 if the publication's revision is not in `ifMatch`. */
interface Change {
  asked: unknown;
  ifMatch?: readonly number[] | undefined;
}

/** What visitors get of agents, for /v1 and the dashboard. Methods throw `ApiError`. */
export class Publications {
  readonly #deps: PublicationsDeps;

  constructor(deps: PublicationsDeps) {
    this.#deps = deps;
  }

  async get(name: AgentName): Promise<CountedPublication> {
    return await this.#shown(name, await this.#read(name));
  }

  /** 400 for a version that has not passed the agent's gate; one that was published before may return. */
  async set(name: AgentName, { asked: unparsed, ifMatch }: Change): Promise<CountedPublication> {
    const asked = parseOrThrow(newPublicationSchema, unparsed);
    const version = asked.mode === "manual" ? asked.version : undefined;
    return await this.#change(name, async (state) => {
      if (version !== undefined) await this.#checkVersion(name, version);
      const gate = state.publication?.gate;
      const isKnown = version === undefined || version === state.version ||
        version === state.publication?.previousVersion;
      if (gate && !isKnown) await this.#deps.gates.check(name, { gate, version });
      return await this.#deps.store.set(name, { asked, gate, ifMatch });
    });
  }

  /** Requires every version to pass a test set before it is published. */
  async setGate(name: AgentName, { asked, ifMatch }: Change): Promise<CountedPublication> {
    const gate = parseOrThrow(publishGateSchema, asked);
    return await this.#change(name, async () => {
      await this.#deps.gates.checkGate(name, gate);
      return await this.#deps.store.setGate(name, { gate, ifMatch });
    });
  }

  deleteGate(
    name: AgentName,
    { ifMatch }: Omit<Change, "asked"> = {},
  ): Promise<CountedPublication> {
    return this.#change(name, () => {
      return this.#deps.store.setGate(name, { gate: undefined, ifMatch });
    });
  }

  /** Gives a share of new conversations another version, which must have passed the agent's gate. */
  async setCanary(
    name: AgentName,
    { asked: unparsed, ifMatch }: Change,
  ): Promise<CountedPublication> {
    const asked = parseOrThrow(newCanarySchema, unparsed);
    return await this.#change(name, async ({ publication }) => {
      await this.#checkVersion(name, asked.version);
      const gate = publication?.gate;
      if (gate) await this.#deps.gates.check(name, { gate, version: asked.version });
      return await this.#deps.store.setCanary(name, { asked, gate, ifMatch });
    });
  }

  /** Its conversations get the published version again. 404 if there is no canary. */
  endCanary(name: AgentName, { ifMatch }: Omit<Change, "asked"> = {}): Promise<CountedPublication> {
    return this.#change(name, () => {
      return this.#deps.store.endCanary(name, { outcome: "stopped", ifMatch });
    });
  }

  /** Its knowledge base or the agents that it asks may be gone since it was saved. */
  async #checkVersion({ tenant, id }: AgentName, version: number): Promise<void> {
    if (!await this.#deps.agents.checkVersion(tenant, id, version)) reject("no_version");
  }

  async #change(
    name: AgentName,
    change: (state: PublicationState) => Promise<PublicationResult>,
  ): Promise<CountedPublication> {
    while (true) {
      const result = await change(await this.#read(name));
      if (!("rejected" in result)) return await this.#shown(name, result);
      // The gate was changed since it was checked: the version must pass that one.
      if (result.rejected !== "other_gate") reject(result.rejected);
    }
  }

  async #read(name: AgentName): Promise<PublicationState> {
    return await this.#deps.store.get(name) ?? reject("not_found");
  }

  async #shown(name: AgentName, state: PublicationState): Promise<CountedPublication> {
    const { canary, lastCanary } = state.publication ?? {};
    const [now, last] = await Promise.all(
      [canary, lastCanary].map((one) => one && this.#deps.canaries.counts(name, one)),
    );
    const publication = toPublication(state, { canary: now, lastCanary: last });
    return { publication, revision: state.revision };
  }
}

function reject(rejected: Exclude<PublicationRejection, "other_gate">): never {
  switch (rejected) {
    case "not_found":
      throw new ApiError("not_found", "there is no such agent");
    case "no_canary":
      throw new ApiError("not_found", "the agent has no canary");
    case "conflict":
      throw new ApiError(
        "version_conflict",
        "the agent's publication has changed since you read it",
      );
    case "no_version":
      return invalid("version", {
        ...{ code: "not_found", message: "there is no such version, or it has been deleted" },
      });
    case "published":
      return invalid("version", {
        code: "published",
        message: "this version is already published",
      });
    case "automatic":
      return invalid("mode", {
        ...{
          code: "automatic",
          message: "the agent publishes automatically; switch to manual first",
        },
      });
    case "gated":
      return invalid("mode", {
        ...{
          code: "gated",
          message: "the agent requires a test set; remove that requirement first",
        },
      });
    default:
      return rejected satisfies never;
  }
}

function invalid(path: string, issue: { code: string; message: string }): never {
  throw validationError([{ path, ...issue }]);
}
