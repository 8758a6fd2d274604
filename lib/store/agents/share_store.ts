import { z } from "zod";
import { base64url } from "../../platform/crypto/signer.ts";
import type { Runtime } from "../../platform/runtime.ts";
import { recordChange } from "../audit/audit_record.ts";
import { keys } from "../keys/keys.ts";
import type { KvReader } from "../tx/read_transaction.ts";
import { parseRecord } from "../values/record.ts";

const shareSchema = z.object({ v: z.literal(1), tenant: z.uuid(), agentId: z.uuid() });
/** The agent of a share link. */
export type Share = Pick<z.infer<typeof shareSchema>, "tenant" | "agentId">;

const SHARE_ID_BYTES = 16;

/** Links to hosted chat pages: at most one per agent, off until switched on. */
export class ShareStore {
  readonly #kv: Deno.Kv;
  readonly #runtime: Runtime;

  constructor(kv: Deno.Kv, runtime: Runtime) {
    this.#kv = kv;
    this.#runtime = runtime;
  }

  /** The agent that a link leads to; `undefined` if the link is off or was replaced. */
  async find(shareId: string, reader: KvReader = this.#kv): Promise<Share | undefined> {
    const record = parseRecord(shareSchema, await reader.get(keys.share(shareId)));
    return record && { tenant: record.tenant, agentId: record.agentId };
  }

  /** The id of an agent's link; `undefined` while it is off. */
  async idOf({ tenant, agentId }: Share): Promise<string | undefined> {
    return (await this.#kv.get<string>(keys.shareByAgent(tenant, agentId))).value ?? undefined;
  }

  /** Switches the link on with a new id, which ends an earlier link. `undefined` without the agent. */
  async create(share: Share, name: string): Promise<string | undefined> {
    const { tenant, agentId } = share;
    const [agent, earlier] = await this.#kv.getMany<[unknown, string]>([
      keys.agent(tenant, agentId),
      keys.shareByAgent(tenant, agentId),
    ]);
    if (agent.versionstamp === null) return undefined;
    const id = base64url(this.#runtime.randomBytes(SHARE_ID_BYTES));
    const step = this.#kv.atomic().check(agent, earlier)
      .set(keys.share(id), { v: 1, tenant, agentId })
      .set(earlier.key, id);
    if (earlier.value !== null) step.delete(keys.share(earlier.value));
    this.#record(step, share, { name, action: earlier.value === null ? "share" : "share again" });
    return (await step.commit()).ok ? id : await this.create(share, name);
  }

  /** Switches the link off. */
  async delete(share: Share, name: string): Promise<void> {
    const entry = await this.#kv.get<string>(keys.shareByAgent(share.tenant, share.agentId));
    if (entry.value === null) return;
    const step = this.#kv.atomic().check(entry).delete(entry.key).delete(keys.share(entry.value));
    this.#record(step, share, { name, action: "unshare" });
    if (!(await step.commit()).ok) await this.delete(share, name);
  }

  #record(
    step: Deno.AtomicOperation,
    { tenant, agentId }: Share,
    { name, action }: { name: string; action: string },
  ): void {
    const target = { id: agentId, name };
    recordChange(step, this.#runtime, { tenant, kind: "agent", action, target });
  }
}

/** Adds to `step` the deletion of a deleted agent's link. */
export async function deleteShare(
  kv: Deno.Kv,
  step: Deno.AtomicOperation,
  { tenant, agentId }: Share,
): Promise<void> {
  const entry = await kv.get<string>(keys.shareByAgent(tenant, agentId));
  step.check(entry);
  if (entry.value !== null) step.delete(entry.key).delete(keys.share(entry.value));
}
