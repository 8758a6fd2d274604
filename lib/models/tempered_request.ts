import type { ModelRequest } from "./model.ts";
import type { Phrasing, Refusal } from "./protocol.ts";

/**
 * A request whose temperature is left out once its model has refused it: more and more models take
 * none, and say so only when they are asked.
 */
export class TemperedRequest {
  #request: ModelRequest;
  readonly #untempered: Set<string>;
  #refusesAny = false;

  /** `untempered` names the models of a slot that are known to take no temperature. */
  constructor(request: ModelRequest, untempered: Set<string>) {
    this.#request = untempered.has(request.model) ? withoutTemperature(request) : request;
    this.#untempered = untempered;
  }

  /** The request as it is to be put next. */
  get current(): ModelRequest {
    return this.#request;
  }

  /** Whether the request is now another one, without the temperature that was refused. */
  rejected(refusal: Refusal): boolean {
    if (this.#request.temperature === undefined || !namesTemperature(refusal)) return false;
    this.#request = withoutTemperature(this.#request);
    // One agent's number that is too high for a server says nothing about the other agents'.
    this.#refusesAny = !OUT_OF_RANGE.test(refusal.words ?? "");
    return true;
  }

  /** A refusal's words may quote a visitor, so it is remembered only once leaving it out has helped. */
  accepted(): void {
    if (this.#refusesAny) this.#untempered.add(this.#request.model);
  }
}

/** A request that a vendor's protocol knows one way to put, but for its temperature. */
export class TemperedPhrasing implements Phrasing {
  readonly path: string;
  readonly #request: TemperedRequest;
  readonly #write: (request: ModelRequest) => unknown;

  constructor(
    request: TemperedRequest,
    { path, write }: { path: string; write: (request: ModelRequest) => unknown },
  ) {
    this.#request = request;
    this.path = path;
    this.#write = write;
  }

  body(): unknown {
    return this.#write(this.#request.current);
  }

  rejected(refusal: Refusal): boolean {
    return this.#request.rejected(refusal);
  }

  accepted(): void {
    this.#request.accepted();
  }
}

/** What vendors say of a field that they do not take, close to its name. */
const COMPLAINT =
  "support|deprecat|only|allow|permit|must|range|invalid|extra|unknown|unrecogni|unexpected|cannot";
const NAMED = new RegExp(
  `(?:${COMPLAINT}).{0,60}\\btemperature\\b|\\btemperature\\b.{0,60}(?:${COMPLAINT})`,
  "i",
);
const OUT_OF_RANGE =
  /range|between|(?:less|greater|more) than|at (?:most|least)|above|below|m(?:ax|in)imum|exceed|[<>≤≥]/i;

/** Where the refusal names a field apart from its words, as OpenAI's do, that field alone counts. */
function namesTemperature({ status, words = "" }: Refusal): boolean {
  if (status !== 400 && status !== 422) return false;
  // Quotes inside a quoted prompt are escaped, so only the vendor's own field looks like this.
  const param = /"param"\s*:\s*"([^"\\]+)"/.exec(words)?.[1];
  return param === undefined ? NAMED.test(words) : /(?:^|\.)temperature$/.test(param);
}

function withoutTemperature({ temperature: _refused, ...request }: ModelRequest): ModelRequest {
  return request;
}
