import type { ModelRequest } from "./model.ts";
import type { ErrorResponse, RequestBuilder } from "./protocol.ts";

export interface TemperatureFallbackOptions {
  path: string;
  toBody: (request: ModelRequest) => unknown;
  /** The models of a connection that are known to reject a temperature. */
  modelsWithoutTemperature: Set<string>;
}

/**
 * Builds a request without its temperature once the model has rejected it: more and more models support
 * none, and only their error responses tell.
 */
export class TemperatureFallback implements RequestBuilder {
  readonly #options: TemperatureFallbackOptions;
  #request: ModelRequest;
  #rejectsEveryValue = false;

  constructor(request: ModelRequest, options: TemperatureFallbackOptions) {
    this.#options = options;
    const isKnown = options.modelsWithoutTemperature.has(request.model);
    this.#request = isKnown ? withoutTemperature(request) : request;
  }

  get path(): string {
    return this.#options.path;
  }

  body(): unknown {
    return this.#options.toBody(this.#request);
  }

  adaptTo(error: ErrorResponse): boolean {
    if (this.#request.temperature === undefined || !rejectsTemperature(error)) return false;
    this.#request = withoutTemperature(this.#request);
    // A value out of range says nothing about the values of other agents.
    this.#rejectsEveryValue = !OUT_OF_RANGE.test(error.errorBody ?? "");
    return true;
  }

  /** Remembered only after success, because the error response may quote a visitor. */
  onAccepted(): void {
    if (this.#rejectsEveryValue) {
      this.#options.modelsWithoutTemperature.add(this.#request.model);
    }
  }
}

/** Words that providers use near the name of a rejected field. */
const COMPLAINT_WORDS =
  "support|deprecat|only|allow|permit|must|range|invalid|extra|unknown|unrecogni|unexpected|cannot";
const TEMPERATURE_COMPLAINT = new RegExp(
  `(?:${COMPLAINT_WORDS}).{0,60}\\btemperature\\b|\\btemperature\\b.{0,60}(?:${COMPLAINT_WORDS})`,
  "i",
);
const OUT_OF_RANGE =
  /range|between|(?:less|greater|more) than|at (?:most|least)|above|below|m(?:ax|in)imum|exceed|[<>≤≥]/i;

/** If the response names the field separately, as OpenAI's do, only that field counts. */
function rejectsTemperature({ status, errorBody = "" }: ErrorResponse): boolean {
  if (status !== 400 && status !== 422) return false;
  // Quotes within a quoted prompt are escaped, so only the provider's own field matches.
  const param = /"param"\s*:\s*"([^"\\]+)"/.exec(errorBody)?.[1];
  return param === undefined
    ? TEMPERATURE_COMPLAINT.test(errorBody)
    : /(?:^|\.)temperature$/.test(param);
}

function withoutTemperature({ temperature: _rejected, ...request }: ModelRequest): ModelRequest {
  return request;
}
