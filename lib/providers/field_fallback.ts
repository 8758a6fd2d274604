import type { ModelRequest } from "./model.ts";
import type { ErrorResponse, RequestBuilder } from "./protocol.ts";
import type { Adaptation, KnownAdaptations } from "./known_adaptations.ts";
import { type OptionalField, type RejectedField, rejectedField } from "./rejected_field.ts";

/** A request as a protocol writes it. */
export interface AdaptedRequest extends ModelRequest {
  reasoningForm: number;
  /** The schema is described in words, because the model has no field for it. */
  schemaInWords: boolean;
}

export interface FieldFallbackOptions {
  path: string;
  toBody: (request: AdaptedRequest) => unknown;
  known: KnownAdaptations;
  /** How many forms of a reasoning effort the protocol has. */
  reasoningForms: number;
}

/**
 * Builds a request without the fields that its model has rejected: models and compatible servers differ,
 * and only their error responses tell. A reasoning effort is tried in other forms before it is left out.
 */
export class FieldFallback implements RequestBuilder {
  readonly #options: FieldFallbackOptions;
  readonly #request: ModelRequest;
  #adaptation: Adaptation;
  /**
   * Only the last change is known to have helped: an error response may quote the names of fields from a
   * visitor's message or an agent's schema.
   */
  #last: RejectedField | undefined;

  constructor(request: ModelRequest, options: FieldFallbackOptions) {
    this.#options = options;
    this.#request = request;
    this.#adaptation = options.known.get(request);
  }

  get path(): string {
    return this.#options.path;
  }

  body(): unknown {
    return this.#options.toBody(adapt(this.#request, this.#adaptation));
  }

  adaptTo(error: ErrorResponse): boolean {
    const { omits, reasoningForm } = this.#adaptation;
    const reasons = this.#request.reasoningEffort !== undefined &&
      reasoningForm < this.#options.reasoningForms;
    const isSent = (field: OptionalField) =>
      field === "reasoningEffort"
        ? reasons
        : this.#request[field] !== undefined && !omits.has(field);
    const rejected = rejectedField(error, isSent);
    if (rejected === undefined) return false;
    this.#adaptation = rejected.field === "reasoningEffort"
      ? { omits, reasoningForm: reasoningForm + 1 }
      : { omits: new Set([...omits, rejected.field]), reasoningForm };
    this.#last = rejected;
    return true;
  }

  /** Remembered only after success, because the error response may quote a visitor. */
  onAccepted(): void {
    if (this.#last === undefined) return;
    const { field, isForEveryValue } = this.#last;
    const { known } = this.#options;
    const request = this.#request;
    // A rejected value says nothing about the values of other agents.
    if (field === "reasoningEffort") {
      known.learnReasoningForm(request, this.#adaptation.reasoningForm);
    } else if (isForEveryValue) known.learnOmission(request.model, field);
    else if (field === "responseSchema") known.learnUnfitSchema(request);
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
