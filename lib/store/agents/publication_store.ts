import { isoTime, type Runtime } from "../../platform/runtime.ts";
import type { NewPublication, Publication } from "../../schemas/publication.ts";
import { recordChange } from "../audit/audit_record.ts";
import { keys } from "../keys/keys.ts";
import { commitStep } from "../values/record.ts";
import { type AgentRecord, readAgentRecord, withPublication } from "./agent_record.ts";
import type { Precondition } from "./agent_store.ts";
import { updatePublicAppearance } from "./public_appearance.ts";
import { servedVersion, type StoredPublication } from "./stored_publication.ts";

/** A publication with the number of its state, for `ETag`. */
export interface CountedPublication {
  publication: Publication;
  revision: number;
}

/** The changed publication, or why it was not changed. */
export type PublicationResult =
  | CountedPublication
  | { rejected: "not_found" | "no_version" | "conflict" };

/** What visitors get of agents: the version saved last, or one that was published. */
export class PublicationStore {
  readonly #kv: Deno.Kv;
  readonly #runtime: Runtime;

  constructor(kv: Deno.Kv, runtime: Runtime) {
    this.#kv = kv;
    this.#runtime = runtime;
  }

  async get(tenant: string, id: string): Promise<CountedPublication | undefined> {
    const record = await readAgentRecord(this.#kv, await this.#kv.get(keys.agent(tenant, id)));
    return record && describe(record);
  }

  /**
   * An equal publication is not stored again. The step checks the agent's record, which every save and
   * every publication changes: of two publishers that expect the same state, one is rejected, and a
   * save cannot delete the version meanwhile.
   */
  async set(
    tenant: string,
    id: string,
    { asked, ifMatch }: { asked: NewPublication } & Pick<Precondition, "ifMatch">,
  ): Promise<PublicationResult> {
    while (true) {
      const entry = await this.#kv.get(keys.agent(tenant, id));
      const current = await readAgentRecord(this.#kv, entry);
      if (current === undefined) return { rejected: "not_found" };
      const before = describe(current);
      if (ifMatch !== undefined && !ifMatch.includes(before.revision)) {
        return { rejected: "conflict" };
      }
      const publication = this.#next(current, { asked, revision: before.revision + 1 });
      if (isSame(current.publication, publication)) return before;
      const next: AgentRecord = { ...current, publication };
      const [old, now] = [await this.#served(tenant, current), await this.#served(tenant, next)];
      if (old === undefined || now === undefined) return { rejected: "no_version" };
      const after = describe(next);
      const step = this.#kv.atomic().check(entry).set(
        entry.key,
        withPublication(entry, publication),
      );
      updatePublicAppearance(step, { before: old, now });
      recordChange(step, this.#runtime, {
        ...{ tenant, kind: "agent", action: "publish", target: { id, name: current.body.name } },
        ...{ before: facts(before), after: facts(after) },
      });
      if (await commitStep(step)) return after;
    }
  }

  #next(
    current: AgentRecord,
    { asked, revision }: { asked: NewPublication; revision: number },
  ): StoredPublication {
    const served = servedVersion(current);
    const version = asked.mode === "manual" ? asked.version ?? served : undefined;
    const previous = (version ?? current.version) === served
      ? current.publication?.previousVersion
      : served;
    return {
      mode: asked.mode,
      ...version !== undefined && { version },
      ...previous !== undefined && { previousVersion: previous },
      revision,
      changedAt: this.#runtime.now(),
    };
  }

  async #served(tenant: string, record: AgentRecord): Promise<AgentRecord | undefined> {
    const version = servedVersion(record);
    if (version === record.version) return record;
    const entry = await this.#kv.get(keys.agentVersion(tenant, record.id, version));
    return await readAgentRecord(this.#kv, entry);
  }
}

function isSame(stored: StoredPublication | undefined, next: StoredPublication): boolean {
  return (stored?.mode ?? "automatic") === next.mode && stored?.version === next.version;
}

function describe(record: AgentRecord): CountedPublication {
  const { publication, version: latestVersion } = record;
  const { previousVersion, changedAt } = publication ?? {};
  return {
    publication: {
      mode: publication?.mode ?? "automatic",
      version: servedVersion(record),
      latestVersion,
      ...previousVersion !== undefined && { previousVersion },
      ...changedAt !== undefined && { changedAt: isoTime(changedAt) },
    },
    revision: publication?.revision ?? 1,
  };
}

/** What the audit log says. */
function facts({ publication: { mode, version } }: CountedPublication) {
  return { publication: mode, version };
}
