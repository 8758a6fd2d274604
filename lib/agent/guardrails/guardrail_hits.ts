import type { GuardrailHit } from "../../schemas/guardrails.ts";

/** Counts what the guardrails of a run did, by side, rule and action. */
export class GuardrailHits {
  readonly #hits: GuardrailHit[] = [];

  add(hit: Omit<GuardrailHit, "count">): void {
    const known = this.#hits.find((one) =>
      one.side === hit.side && one.rule === hit.rule && one.action === hit.action &&
      one.unavailable === hit.unavailable
    );
    if (known === undefined) this.#hits.push({ ...hit, count: 1 });
    else known.count++;
  }

  /** The same where every match was replaced, and no answer ended. */
  asMasks(): GuardrailHits {
    const masks = new GuardrailHits();
    masks.#hits.push(...this.#hits.map((hit) => ({ ...hit, action: "mask" as const })));
    return masks;
  }

  get all(): GuardrailHit[] {
    return this.#hits.map((hit) => ({ ...hit }));
  }
}
