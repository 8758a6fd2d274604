import type { ModelRequest } from "./model.ts";
import type { ErrorResponse, RequestBuilder } from "./protocol.ts";

/**
 * A request whose temperature is left out once its model has refused it: more and more models take
 * none, and say so only when they are asked.
 */
export class TemperatureFallback {
  #request: ModelRequest;
  readonly #modelsWithoutTemperature: Set<string>;
  #rejectsEveryValue = false;

  /** `untempered` names the models of a slot that are known to take no temperature. */
  constructor(request: ModelRequest, untempered: Set<string>) {
    this.#request = untempered.has(request.model) ? withoutTemperature(request) : request;
    this.#modelsWithoutTemperature = untempered;
  }

  /** The request as it is to be put next. */
  get current(): ModelRequest {
    return this.#request;
  }

  /** Whether the request is now another one, without the temperature that was refused. */
  adaptTo(refusal: ErrorResponse): boolean {
    if (this.#request.temperature === undefined || !rejectsTemperature(refusal)) return false;
    this.#request = withoutTemperature(this.#request);
    // One agent's number that is too high for a server says nothing about the other agents'.
    this.#rejectsEveryValue = !OUT_OF_RANGE.test(refusal.errorBody ?? "");
    return true;
  }

  /** A refusal's words may quote a visitor, so it is remembered only once leaving it out has helped. */
  onAccepted(): void {
    if (this.#rejectsEveryValue) this.#modelsWithoutTemperature.add(this.#request.model);
  }
}

/** A request that a vendor's protocol knows one way to put, but for its temperature. */
export class FallbackRequestBuilder implements RequestBuilder {
  readonly path: string;
  readonly #request: TemperatureFallback;
  readonly #write: (request: ModelRequest) => unknown;

  constructor(
    request: TemperatureFallback,
    { path, write }: { path: string; write: (request: ModelRequest) => unknown },
  ) {
    this.#request = request;
    this.path = path;
    this.#write = write;
  }

  body(): unknown {
    return this.#write(this.#request.current);
  }

  adaptTo(refusal: ErrorResponse): boolean {
    return this.#request.adaptTo(refusal);
  }

  onAccepted(): void {
    this.#request.onAccepted();
  }
}

/** What vendors say of a field that they do not take, close to its name. */
const COMPLAINT_WORDS =
  "support|deprecat|only|allow|permit|must|range|invalid|extra|unknown|unrecogni|unexpected|cannot";
const TEMPERATURE_COMPLAINT = new RegExp(
  `(?:${COMPLAINT_WORDS}).{0,60}\\btemperature\\b|\\btemperature\\b.{0,60}(?:${COMPLAINT_WORDS})`,
  "i",
);
const OUT_OF_RANGE =
  /range|between|(?:less|greater|more) than|at (?:most|least)|above|below|m(?:ax|in)imum|exceed|[<>≤≥]/i;

/** Where the refusal names a field apart from its words, as OpenAI's do, that field alone counts. */
function rejectsTemperature({ status, errorBody = "" }: ErrorResponse): boolean {
  if (status !== 400 && status !== 422) return false;
  // Quotes inside a quoted prompt are escaped, so only the vendor's own field looks like this.
  const param = /"param"\s*:\s*"([^"\\]+)"/.exec(errorBody)?.[1];
  return param === undefined
    ? TEMPERATURE_COMPLAINT.test(errorBody)
    : /(?:^|\.)temperature$/.test(param);
}

function withoutTemperature({ temperature: _refused, ...request }: ModelRequest): ModelRequest {
  return request;
}
