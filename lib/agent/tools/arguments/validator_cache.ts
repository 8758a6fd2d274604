import { LRUCache } from "lru-cache";
import { loadModule } from "../../../platform/load_module.ts";
import type { ArgumentValidator, compileParameters } from "./compile_parameters.ts";

type Compiled = ReturnType<typeof compileParameters>;

/** At 16 KiB for each schema, they stay within a few megabytes. */
const MAX_VALIDATORS = 256;

/**
 * The process's compiled schemas, by their JSON. Drops the least recently used. Unchanged schemas are
 * shared between versions of an agent.
 */
export class ValidatorCache {
  readonly #compiled = new LRUCache<string, Compiled>({ max: MAX_VALIDATORS });

  /**
   * The validator for `parameters`. A schema that cannot be compiled rejects every call, unless the
   * tool's server validates too: otherwise a look-around, which zod emits for durations, would make a
   * tool unusable.
   */
  async get(
    parameters: Readonly<Record<string, unknown>>,
    { validatedByServer = false }: { validatedByServer?: boolean | undefined } = {},
  ): Promise<ArgumentValidator> {
    const compiled = await this.#compile(parameters);
    if ("validate" in compiled) return compiled.validate;
    return () => validatedByServer ? undefined : `the tool's schema ${compiled.message}`;
  }

  async #compile(parameters: Readonly<Record<string, unknown>>): Promise<Compiled> {
    const key = JSON.stringify(parameters);
    const known = this.#compiled.get(key);
    if (known !== undefined) return known;
    const compiled = await compileWhenNeeded(parameters);
    this.#compiled.set(key, compiled);
    return compiled;
  }
}

/** As `compileParameters`, which is loaded with the first schema: Ajv takes 20 ms to load (measured). */
export async function compileWhenNeeded(
  parameters: Readonly<Record<string, unknown>>,
): Promise<Compiled> {
  const { compileParameters } = await loadModule(
    "the validator of tool arguments",
    () => import("./compile_parameters.ts"),
  );
  return compileParameters(parameters);
}
