import { type ArgumentCheck, compileParameters } from "./argument_check.ts";

/** Schemas kept compiled; at 16 KiB each they stay within a few megabytes. */
const KEPT = 256;

/**
 * Compiled schemas of the process, the least lately used dropped first. They are found by their
 * text, so every version of an agent has its own and unchanged ones are shared.
 */
export class ArgumentChecks {
  #kept = new Map<string, ArgumentCheck>();

  /** The check for `parameters`; one that cannot be compiled refuses every call. */
  of(parameters: Readonly<Record<string, unknown>>): ArgumentCheck {
    const key = JSON.stringify(parameters);
    const check = this.#kept.get(key) ?? compile(parameters);
    this.#kept.delete(key);
    this.#kept.set(key, check);
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= KEPT) break;
      this.#kept.delete(oldest);
    }
    return check;
  }
}

function compile(parameters: Readonly<Record<string, unknown>>): ArgumentCheck {
  const compiled = compileParameters(parameters);
  if ("check" in compiled) return compiled.check;
  return () => `the tool's schema ${compiled.message}`;
}
