import type { NonRunCharges, NonRunHold } from "../../billing/non_run_charges.ts";
import { toMicroUsd } from "../../billing/micro_usd.ts";
import type { TrialResult } from "./trial_answer.ts";
import type { TrialRequest, TrialRunner } from "./trial_runner.ts";

interface TrialPurseDeps {
  charges: Pick<NonRunCharges, "reserve" | "charge" | "release">;
  trials: Pick<TrialRunner, "run">;
}

/**
 * Money that is set aside for trials before the first one begins. Each trial is allotted at most what is
 * neither spent nor allotted to others, and charged what it cost. Amounts in micro-USD.
 */
export class TrialPurse {
  readonly #deps: TrialPurseDeps;
  readonly #hold: NonRunHold;
  readonly #amount: number;
  #spent = 0;
  #allotted = 0;
  readonly #waiting: (() => void)[] = [];

  private constructor(
    deps: TrialPurseDeps,
    { hold, amount }: { hold: NonRunHold; amount: number },
  ) {
    this.#deps = deps;
    this.#hold = hold;
    this.#amount = amount;
  }

  /** `undefined` if the tenant's day does not have the money. */
  static async open(
    deps: TrialPurseDeps,
    { tenant, amount }: { tenant: string; amount: number },
  ): Promise<TrialPurse | undefined> {
    const hold = await deps.charges.reserve(tenant, amount);
    return hold && new TrialPurse(deps, { hold, amount });
  }

  /** What the trials have cost so far. */
  get spent(): number {
    return this.#spent;
  }

  /** What another trial could cost. */
  get left(): number {
    return this.#amount - this.#spent - this.#allotted;
  }

  /**
   * Runs a trial with at most its agent's own budget, when other trials have left as much. If less is left,
   * it may end with `max_cost`, as a run of a tenant whose day is nearly used up.
   */
  async run(request: Omit<TrialRequest, "maxCost">): Promise<TrialResult> {
    const maxCost = await this.#allot(toMicroUsd(request.agent.budget.maxCostUsd));
    let result: TrialResult | undefined;
    try {
      result = cutCost(await this.#deps.trials.run({ ...request, maxCost }), maxCost);
    } finally {
      this.#allotted -= maxCost;
      this.#spent += result?.cost ?? 0;
      this.#waiting.shift()?.();
    }
    const { agent: { id: agentId }, source } = request;
    const used = result.shares.map((share) => ({ ...share, agentId, source }));
    if (used.length > 0) await this.#deps.charges.charge(this.#hold, used);
    return result;
  }

  /** Waits until there is as much, or no other trial is left that could leave more. */
  async #allot(wanted: number): Promise<number> {
    while (this.left < wanted && this.#allotted > 0) {
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
    const amount = Math.max(0, Math.min(this.left, wanted));
    this.#allotted += amount;
    // The one that ended may have left enough for several.
    this.#waiting.shift()?.();
    return amount;
  }

  /** Frees what is left. */
  async close(): Promise<void> {
    await this.#deps.charges.release(this.#hold);
  }
}

/** A provider that reports more than it had announced is not paid beyond what was set aside. */
function cutCost(result: TrialResult, maxCost: number): TrialResult {
  if (result.cost <= maxCost) return result;
  let left = maxCost;
  const shares = result.shares.map((share) => {
    const cost = Math.min(share.cost, left);
    left -= cost;
    return { ...share, cost };
  });
  return { ...result, cost: maxCost, shares };
}
