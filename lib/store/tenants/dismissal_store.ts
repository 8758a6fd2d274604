import type { Runtime } from "../../platform/runtime.ts";
import { recordChange } from "../audit/audit_record.ts";
import { keys } from "../keys/keys.ts";

/** Dashboard advice that can be dismissed, with its name in the audit log. */
export const DISMISSIBLE = {
  visitor_limits: "limits for one visitor",
  getting_started: "getting started",
} as const;
export type Dismissible = keyof typeof DISMISSIBLE;

/** The advice that each tenant has dismissed. */
export class DismissalStore {
  readonly #kv: Deno.Kv;
  readonly #runtime: Pick<Runtime, "now" | "uuid">;

  constructor(kv: Deno.Kv, runtime: Pick<Runtime, "now" | "uuid">) {
    this.#kv = kv;
    this.#runtime = runtime;
  }

  async list(tenant: string): Promise<ReadonlySet<string>> {
    const found = await Array.fromAsync(this.#kv.list({ prefix: keys.dismissals(tenant) }));
    return new Set(found.map(({ key }) => String(key.at(-1))));
  }

  /** Dismisses the advice for the whole tenant; idempotent. */
  async dismiss(tenant: string, advice: Dismissible): Promise<void> {
    const key = keys.dismissal(tenant, advice);
    const step = this.#kv.atomic()
      .check({ key, versionstamp: null })
      .set(key, { v: 1, at: this.#runtime.now() });
    const target = { id: advice, name: DISMISSIBLE[advice] };
    recordChange(step, this.#runtime, { tenant, kind: "advice", action: "dismiss", target });
    await step.commit();
  }
}
