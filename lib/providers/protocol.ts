import type { ModelRequest } from "./model.ts";
import type { ResponseAccumulator } from "./response_accumulator.ts";

/** A refusal as a phrasing may learn from it. */
export interface ErrorResponse {
  status: number | undefined;
  errorBody: string | undefined;
}

/** One request in a vendor's words. */
export interface RequestBuilder {
  /** Below the slot's base URL, with its query. */
  readonly path: string;
  /** To be sent as JSON. */
  body(): unknown;
  /** Whether the next `body` is another one that this refusal asks for. */
  adaptTo?(refusal: ErrorResponse): boolean;
  /** The vendor took the last body. */
  onAccepted?(): void;
}

/** Reads a vendor's stream into a turn. */
export interface StreamDecoder {
  /** Takes the data of one event. Throws a `ProviderError` for an error or for what it cannot read. */
  decode(data: string): void;
}

/** A wire protocol: how a request is put and how its answer is read. */
export interface ProviderProtocol {
  headers(apiKey: string): Readonly<Record<string, string>>;
  createRequest(request: ModelRequest): RequestBuilder;
  /** Whether a refusal says that a filter took the prompt, which is an answer and no failure. */
  isContentFilter?(refusal: ErrorResponse): boolean;
  createDecoder(turn: ResponseAccumulator): StreamDecoder;
}
