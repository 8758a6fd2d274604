import type { Runtime } from "../../platform/runtime.ts";
import type { NewCanary, NewPublication, PublishGate } from "../../schemas/publication.ts";
import { recordChange } from "../audit/audit_record.ts";
import { keys } from "../keys/keys.ts";
import { commitStep } from "../values/record.ts";
import { type AgentRecord, readAgentRecord, withPublication } from "./agent_record.ts";
import type { Precondition } from "./agent_store.ts";
import { updatePublicAppearance } from "./public_appearance.ts";
import {
  type CanaryEnd,
  DEFAULT_CANARY_LIMITS,
  nextPublication,
  type PublicationState,
  servedVersion,
  type StoredPublication,
  withCanaryEnded,
} from "./stored_publication.ts";

/** The state after a change, or why nothing was changed. */
export type PublicationResult = PublicationState | { rejected: PublicationRejection };

/**
 * `conflict`: another revision than expected. `other_gate`: another gate than the version was checked
 * for. `automatic`: what is asked exists for manual publications only. `gated`: only those can have a
 * gate. `published`: visitors get the canary's version already. `no_canary`: there is none to end.
 */
export type PublicationRejection =
  | "not_found"
  | "no_version"
  | "conflict"
  | "other_gate"
  | "automatic"
  | "gated"
  | "published"
  | "no_canary";

interface PublicationName {
  tenant: string;
  id: string;
}

type Expected = Pick<Precondition, "ifMatch">;

/** Decides on the publication of an agent; `undefined` if it stays as it is. */
type Decide = (
  agent: AgentRecord,
) => Omit<StoredPublication, "revision"> | { rejected: PublicationRejection } | undefined;

/** What visitors get of agents: the version saved last, or one that was published, or a canary. */
export class PublicationStore {
  readonly #kv: Deno.Kv;
  readonly #runtime: Runtime;

  constructor(kv: Deno.Kv, runtime: Runtime) {
    this.#kv = kv;
    this.#runtime = runtime;
  }

  async get({ tenant, id }: PublicationName): Promise<PublicationState | undefined> {
    const record = await readAgentRecord(this.#kv, await this.#kv.get(keys.agent(tenant, id)));
    return record && stateOf(record);
  }

  /** Publishes. Ends a canary, unless nothing changes. `gate` is the one that the version has passed. */
  set(
    name: PublicationName,
    { asked, gate, ifMatch }: Expected & { asked: NewPublication; gate: PublishGate | undefined },
  ): Promise<PublicationResult> {
    return this.#change(name, { action: "publish", ifMatch }, (agent) => {
      const before = agent.publication;
      if (before?.gate?.testSetId !== gate?.testSetId) return { rejected: "other_gate" };
      if (asked.mode === "automatic" && gate !== undefined) return { rejected: "gated" };
      const next = nextPublication(agent, { asked, now: this.#runtime.now() });
      const isSame = (before?.mode ?? "automatic") === next.mode &&
        before?.version === next.version;
      return isSame ? undefined : next;
    });
  }

  setGate(
    name: PublicationName,
    { gate, ifMatch }: Expected & { gate: PublishGate | undefined },
  ): Promise<PublicationResult> {
    return this.#change(name, { action: "change gate", ifMatch }, ({ publication }) => {
      if (publication?.mode !== "manual") return { rejected: "automatic" };
      if (publication.gate?.testSetId === gate?.testSetId) return undefined;
      const { gate: _gate, ...rest } = publication;
      return { ...rest, ...gate && { gate } };
    });
  }

  /** Starts a canary, or changes the share and the limits of the one that has the version. */
  setCanary(
    name: PublicationName,
    { asked, gate, ifMatch }: Expected & { asked: NewCanary; gate: PublishGate | undefined },
  ): Promise<PublicationResult> {
    return this.#change(name, { action: "start canary", ifMatch }, (agent) => {
      const before = agent.publication;
      if (before?.mode !== "manual") return { rejected: "automatic" };
      if (before.gate?.testSetId !== gate?.testSetId) return { rejected: "other_gate" };
      if (servedVersion(agent) === asked.version) return { rejected: "published" };
      const { version, percent, limits = DEFAULT_CANARY_LIMITS } = asked;
      const now = this.#runtime.now();
      const wanted = { version, percent, limits };
      if (before.canary?.version === version) {
        return { ...before, canary: { ...before.canary, ...wanted } };
      }
      const ended = withCanaryEnded(before, { outcome: "stopped", endedAt: now });
      return { ...ended, canary: { id: this.#runtime.uuid(), ...wanted, startedAt: now } };
    });
  }

  /** Ends the canary; with `id` only that one, so that of several who see the same one ends it. */
  endCanary(
    name: PublicationName,
    { id, ifMatch, ...end }: Expected & Omit<CanaryEnd, "endedAt"> & { id?: string },
  ): Promise<PublicationResult> {
    const action = end.outcome === "rolled_back" ? "roll back canary" : "end canary";
    return this.#change(name, { action, ifMatch }, ({ publication }) => {
      const canary = publication?.canary;
      if (canary === undefined || (id !== undefined && canary.id !== id)) {
        return { rejected: "no_canary" };
      }
      return withCanaryEnded(publication!, { ...end, endedAt: this.#runtime.now() });
    });
  }

  /**
   * The step checks the agent's record, which every save and every publication changes: of two that expect
   * the same state, one is rejected, and a save cannot delete the version meanwhile.
   */
  async #change(
    { tenant, id }: PublicationName,
    { action, ifMatch }: Expected & { action: string },
    decide: Decide,
  ): Promise<PublicationResult> {
    while (true) {
      const entry = await this.#kv.get(keys.agent(tenant, id));
      const current = await readAgentRecord(this.#kv, entry);
      if (current === undefined) return { rejected: "not_found" };
      const before = stateOf(current);
      if (ifMatch !== undefined && !ifMatch.includes(before.revision)) {
        return { rejected: "conflict" };
      }
      const decided = decide(current);
      if (decided === undefined) return before;
      if ("rejected" in decided) return decided;
      const publication = { ...decided, revision: before.revision + 1 };
      const next: AgentRecord = { ...current, publication };
      const [old, now] = [await this.#served(tenant, current), await this.#served(tenant, next)];
      if (old === undefined || now === undefined) return { rejected: "no_version" };
      const { canary } = publication;
      if (canary && !await this.#isStored({ tenant, id }, canary)) {
        return { rejected: "no_version" };
      }
      const after = stateOf(next);
      const step = this.#kv.atomic().check(entry).set(
        entry.key,
        withPublication(entry, publication),
      );
      updatePublicAppearance(step, { before: old, now });
      recordChange(step, this.#runtime, {
        ...{ tenant, kind: "agent", action, target: { id, name: current.body.name } },
        ...{ before: facts(before), after: facts(after) },
      });
      if (await commitStep(step)) return after;
    }
  }

  async #isStored({ tenant, id }: PublicationName, { version }: { version: number }) {
    return (await this.#kv.get(keys.agentVersion(tenant, id, version))).value !== null;
  }

  async #served(tenant: string, record: AgentRecord): Promise<AgentRecord | undefined> {
    const version = servedVersion(record);
    if (version === record.version) return record;
    const entry = await this.#kv.get(keys.agentVersion(tenant, record.id, version));
    return await readAgentRecord(this.#kv, entry);
  }
}

function stateOf(record: AgentRecord): PublicationState {
  return {
    publication: record.publication,
    version: servedVersion(record),
    latestVersion: record.version,
    revision: record.publication?.revision ?? 1,
  };
}

/** What the audit log says. */
function facts({ publication, version }: PublicationState) {
  const { canary, gate } = publication ?? {};
  return {
    ...{ publication: publication?.mode ?? "automatic", version },
    ...canary && { canary: `version ${canary.version}, ${canary.percent} %` },
    ...gate && { gate: gate.testSetId },
  };
}
