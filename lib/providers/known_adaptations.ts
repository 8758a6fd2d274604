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

const UNCHANGED: Adaptation = { omits: new Set(), reasoningForm: 0 };
/** At 16 KiB each. */
const MAX_SCHEMAS = 100;

type Named = Pick<ModelRequest, "model" | "responseSchema">;

/** What the process has learned of a connection's models, and of the schemas that they cannot follow. */
export class KnownAdaptations {
  readonly #models = new Map<string, Adaptation>();
  readonly #unfitSchemas = new LRUCache<string, true>({ max: MAX_SCHEMAS });

  get(request: Named): Adaptation {
    const known = this.#models.get(request.model) ?? UNCHANGED;
    const isUnfit = request.responseSchema !== undefined &&
      this.#unfitSchemas.get(schemaKey(request)) !== undefined;
    return isUnfit ? { ...known, omits: new Set([...known.omits, "responseSchema"]) } : known;
  }

  /** `field` is what the model rejects, whatever its value; `reasoningForm` the form that it accepts. */
  learn(model: string, field: OptionalField, reasoningForm: number): void {
    const known = this.#models.get(model) ?? UNCHANGED;
    const learned = field === "reasoningEffort"
      ? { ...known, reasoningForm }
      : { ...known, omits: new Set([...known.omits, field]) };
    this.#models.set(model, learned);
  }

  /** Only this schema is sent in words from now on: others may be fine. */
  learnUnfitSchema(request: Named): void {
    this.#unfitSchemas.set(schemaKey(request), true);
  }
}

function schemaKey({ model, responseSchema }: Named): string {
  return `${model} ${JSON.stringify(responseSchema)}`;
}
