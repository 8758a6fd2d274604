import { LRUCache } from "lru-cache";
import type { ModelRequest } from "./model.ts";
import type { OptionalField } from "./rejected_field.ts";

/** How a request is changed for a model that rejects some of its fields. */
export interface Adaptation {
  /** Fields that are left out. */
  omits: ReadonlySet<OptionalField>;
  /** Which of the protocol's forms of the reasoning effort is sent; beyond the last one, none. */
  reasoningForm: number;
}

const NOTHING_OMITTED: Adaptation["omits"] = new Set();
/** At 16 KiB each. */
const MAX_SCHEMAS = 100;

type Named = Pick<ModelRequest, "model" | "responseSchema" | "reasoningEffort">;

/** What the process has learned of a connection's models, and of the schemas that they cannot follow. */
export class KnownAdaptations {
  readonly #omits = new Map<string, Adaptation["omits"]>();
  /** By model and effort: one that rejects `minimal` takes the others as they are. */
  readonly #reasoningForms = new Map<string, number>();
  readonly #unfitSchemas = new LRUCache<string, true>({ max: MAX_SCHEMAS });

  get(request: Named): Adaptation {
    const omits = this.#omits.get(request.model) ?? NOTHING_OMITTED;
    const isUnfit = request.responseSchema !== undefined &&
      this.#unfitSchemas.get(schemaKey(request)) !== undefined;
    return {
      omits: isUnfit ? new Set([...omits, "responseSchema"]) : omits,
      reasoningForm: this.#reasoningForms.get(effortKey(request)) ?? 0,
    };
  }

  /** `field` is what the model rejects, whatever its value. */
  learnOmission(model: string, field: OptionalField): void {
    this.#omits.set(model, new Set([...this.#omits.get(model) ?? [], field]));
  }

  /** The form in which the model accepts the effort of the request, or that it accepts none. */
  learnReasoningForm(request: Named, form: number): void {
    this.#reasoningForms.set(effortKey(request), form);
  }

  /** Only this schema is sent in words from now on: others may be fine. */
  learnUnfitSchema(request: Named): void {
    this.#unfitSchemas.set(schemaKey(request), true);
  }
}

function schemaKey({ model, responseSchema }: Named): string {
  return `${model} ${JSON.stringify(responseSchema)}`;
}

function effortKey({ model, reasoningEffort }: Named): string {
  return `${model} ${reasoningEffort}`;
}
