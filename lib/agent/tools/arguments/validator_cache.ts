import { LRUCache } from "lru-cache";
import { type ArgumentValidator, compileParameters } from "./compile_parameters.ts";
import type { SchemaIssue } from "./prepare_schema.ts";

/** Schemas kept compiled; at 16 KiB each they stay within a few megabytes. */
const MAX_VALIDATORS = 256;

/**
 * Compiled schemas of the process, the least lately used dropped first. They are found by their
 * text, so every version of an agent has its own and unchanged ones are shared.
 */
export class ValidatorCache {
  #validators = new LRUCache<string, { check: ArgumentValidator } | SchemaIssue>({
    max: MAX_VALIDATORS,
  });

  /**
   * The check for `parameters`. One that cannot be compiled refuses every call, unless whoever is called
   * checks the arguments as well: a pattern with a look-around, which zod writes for a duration, would
   * otherwise make a tool that can never be called.
   */
  get(
    parameters: Readonly<Record<string, unknown>>,
    { validatedByServer = false }: { validatedByServer?: boolean | undefined } = {},
  ): ArgumentValidator {
    const compiled = this.#compile(parameters);
    if ("check" in compiled) return compiled.check;
    return () => validatedByServer ? undefined : `the tool's schema ${compiled.message}`;
  }

  #compile(
    parameters: Readonly<Record<string, unknown>>,
  ): { check: ArgumentValidator } | SchemaIssue {
    const key = JSON.stringify(parameters);
    const cached = this.#validators.get(key);
    if (cached !== undefined) return cached;
    const compiled = compileParameters(parameters);
    this.#validators.set(key, compiled);
    return compiled;
  }
}
