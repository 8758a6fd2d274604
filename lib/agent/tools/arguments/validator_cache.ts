import { LRUCache } from "lru-cache";
import { type ArgumentValidator, compileParameters } from "./compile_parameters.ts";

/** At 16 KiB for each schema, they stay within a few megabytes. */
const MAX_VALIDATORS = 256;

/**
 * The process's compiled schemas, by their JSON. Drops the least recently used. Unchanged schemas are
 * shared between versions of an agent.
 */
export class ValidatorCache {
  readonly #compiled = new LRUCache<string, ReturnType<typeof compileParameters>>({
    max: MAX_VALIDATORS,
  });

  /**
   * The validator for `parameters`. A schema that cannot be compiled rejects every call, unless the
   * tool's server validates too: otherwise a look-around, which zod emits for durations, would make a
   * tool unusable.
   */
  get(
    parameters: Readonly<Record<string, unknown>>,
    { validatedByServer = false }: { validatedByServer?: boolean | undefined } = {},
  ): ArgumentValidator {
    const compiled = this.#compile(parameters);
    if ("validate" in compiled) return compiled.validate;
    return () => validatedByServer ? undefined : `the tool's schema ${compiled.message}`;
  }

  #compile(parameters: Readonly<Record<string, unknown>>) {
    const key = JSON.stringify(parameters);
    const known = this.#compiled.get(key);
    if (known !== undefined) return known;
    const compiled = compileParameters(parameters);
    this.#compiled.set(key, compiled);
    return compiled;
  }
}
