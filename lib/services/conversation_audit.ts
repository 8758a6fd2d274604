import type { Runtime } from "../platform/runtime.ts";
import type { RunFacts } from "../store/runs/run_record.ts";
import { type AuditedChange, recordChange } from "../store/audit/audit_record.ts";

/** Records what people do with conversations, besides reading them one by one. */
export class ConversationAudit {
  readonly #kv: Deno.Kv;
  readonly #runtime: Pick<Runtime, "now" | "uuid">;

  constructor(kv: Deno.Kv, runtime: Pick<Runtime, "now" | "uuid">) {
    this.#kv = kv;
    this.#runtime = runtime;
  }

  /** An export of all conversations that the filters match; recorded before anything is sent. */
  async recordExport(
    tenant: string,
    { format, filters }: { format: string; filters: Readonly<Record<string, string>> },
  ): Promise<void> {
    const active = Object.entries(filters).filter(([, value]) => value !== "");
    await this.#record({
      ...{ tenant, action: "export", after: Object.fromEntries(active) },
      target: { id: "conversations", name: `conversations (${format})` },
    });
  }

  /** A sealed export of one conversation; recorded before anything is sent. */
  async recordSealedExport(tenant: string, id: string): Promise<void> {
    await this.#record({
      tenant,
      action: "export",
      target: { id, name: id },
      after: { sealed: true },
    });
  }

  /** An answer that a person stopped, and the format in which it was asked for. */
  async recordStop({ tenant, conversationId: id, source }: RunFacts): Promise<void> {
    const after = { protocol: source.protocol ?? "native" };
    await this.#record({ tenant, action: "stop", target: { id, name: id }, after });
  }

  /** What a person decided about a tool call; never its arguments. */
  async recordDecision(
    { tenant, conversationId: id }: RunFacts,
    { tool, approve }: { tool: string; approve: boolean },
  ): Promise<void> {
    const action = approve ? "approve" : "decline";
    await this.#record({ tenant, action, target: { id, name: id }, after: { tool } });
  }

  /** Adds what a person did with a hand-off to the step that stores it; never what was written. */
  handoffRecord(
    { tenant, id, action }: { tenant: string; id: string; action: "take" | "return" | "close" },
  ): (step: Deno.AtomicOperation) => void {
    return (step) =>
      recordChange(step, this.#runtime, {
        ...{ kind: "conversation" as const, tenant, action, target: { id, name: id } },
      });
  }

  /** Adds to the step that deletes what an agent remembers about the conversation's visitor. */
  forgetRecord(tenant: string, id: string): (step: Deno.AtomicOperation) => void {
    return (step) =>
      recordChange(step, this.#runtime, {
        ...{ kind: "conversation" as const, tenant, action: "forget", target: { id, name: id } },
      });
  }

  async #record(change: Omit<AuditedChange, "kind">): Promise<void> {
    const step = this.#kv.atomic();
    recordChange(step, this.#runtime, { kind: "conversation", ...change });
    await step.commit();
  }
}
