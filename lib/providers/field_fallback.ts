import type { ModelRequest } from "./model.ts";
import type { ErrorResponse, RequestBuilder } from "./protocol.ts";
import { type OptionalField, rejectedField } from "./rejected_field.ts";

/** How a request is changed for a model that rejects some of its fields. */
export interface Adaptation {
  /** Fields that are left out. */
  omits: ReadonlySet<OptionalField>;
  /** Which of the protocol's forms of the reasoning effort is sent; beyond the last one, none. */
  reasoningForm: number;
}

/** A request as a protocol writes it. */
export interface AdaptedRequest extends ModelRequest {
  reasoningForm: number;
  /** The schema is described in words, because the model has no field for it. */
  schemaInWords: boolean;
}

export interface FieldFallbackOptions {
  path: string;
  toBody: (request: AdaptedRequest) => unknown;
  /** What a connection knows of its models. */
  known: Map<string, Adaptation>;
  /** How many forms of a reasoning effort the protocol has. */
  reasoningForms: number;
}

const UNCHANGED: Adaptation = { omits: new Set(), reasoningForm: 0 };

/**
 * Builds a request without the fields that its model has rejected: models and compatible servers differ,
 * and only their error responses tell. A reasoning effort is tried in other forms before it is left out.
 */
export class FieldFallback implements RequestBuilder {
  readonly #options: FieldFallbackOptions;
  readonly #request: ModelRequest;
  readonly #known: Adaptation;
  #adaptation: Adaptation;
  /** What is remembered if the provider accepts. */
  #learned: Adaptation;

  constructor(request: ModelRequest, options: FieldFallbackOptions) {
    this.#options = options;
    this.#request = request;
    this.#known = options.known.get(request.model) ?? UNCHANGED;
    this.#adaptation = this.#known;
    this.#learned = this.#known;
  }

  get path(): string {
    return this.#options.path;
  }

  body(): unknown {
    return this.#options.toBody(adapt(this.#request, this.#adaptation));
  }

  adaptTo(error: ErrorResponse): boolean {
    const { reasoningForm } = this.#adaptation;
    const reasons = this.#request.reasoningEffort !== undefined &&
      reasoningForm < this.#options.reasoningForms;
    const isSent = (field: OptionalField) =>
      field === "reasoningEffort"
        ? reasons
        : this.#request[field] !== undefined && !this.#adaptation.omits.has(field);
    const rejected = rejectedField(error, isSent);
    if (rejected === undefined) return false;
    const change = (before: Adaptation): Adaptation =>
      rejected.field === "reasoningEffort"
        ? { ...before, reasoningForm: reasoningForm + 1 }
        : { ...before, omits: new Set([...before.omits, rejected.field]) };
    this.#adaptation = change(this.#adaptation);
    // Only the last change is known to have helped: an error response may quote the names of fields from
    // a visitor's message or an agent's schema. A rejected value says nothing about those of other agents.
    this.#learned = rejected.isForEveryValue ? change(this.#known) : this.#known;
    return true;
  }

  /** Remembered only after success, because the error response may quote a visitor. */
  onAccepted(): void {
    if (this.#learned === this.#known) return;
    this.#options.known.set(this.#request.model, this.#learned);
  }
}

function adapt(request: ModelRequest, { omits, reasoningForm }: Adaptation): AdaptedRequest {
  const adapted: AdaptedRequest = { ...request, reasoningForm, schemaInWords: false };
  for (const field of omits) {
    if (field === "responseSchema") adapted.schemaInWords = request.responseSchema !== undefined;
    else delete adapted[field];
  }
  return adapted;
}
