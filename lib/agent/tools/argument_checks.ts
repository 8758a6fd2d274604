import { type ArgumentCheck, compileParameters } from "./argument_check.ts";
import type { SchemaFault } from "./prepare_schema.ts";

/** Schemas kept compiled; at 16 KiB each they stay within a few megabytes. */
const KEPT = 256;

/**
 * Compiled schemas of the process, the least lately used dropped first. They are found by their
 * text, so every version of an agent has its own and unchanged ones are shared.
 */
export class ArgumentChecks {
  #kept = new Map<string, { check: ArgumentCheck } | SchemaFault>();

  /**
   * The check for `parameters`. One that cannot be compiled refuses every call, unless whoever is called
   * checks the arguments as well: a pattern with a look-around, which zod writes for a duration, would
   * otherwise make a tool that can never be called.
   */
  of(
    parameters: Readonly<Record<string, unknown>>,
    { checkedAgain = false }: { checkedAgain?: boolean | undefined } = {},
  ): ArgumentCheck {
    const compiled = this.#compiled(parameters);
    if ("check" in compiled) return compiled.check;
    return () => checkedAgain ? undefined : `the tool's schema ${compiled.message}`;
  }

  #compiled(parameters: Readonly<Record<string, unknown>>): { check: ArgumentCheck } | SchemaFault {
    const key = JSON.stringify(parameters);
    const compiled = this.#kept.get(key) ?? compileParameters(parameters);
    this.#kept.delete(key);
    this.#kept.set(key, compiled);
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= KEPT) break;
      this.#kept.delete(oldest);
    }
    return compiled;
  }
}
