import type { ModelRequest } from "./model.ts";
import type { ResponseAccumulator } from "./response_accumulator.ts";

/** The parts of an error response that a request may be adapted to. */
export type ErrorResponse = { status: number | undefined; errorBody: string | undefined };

export interface RequestBuilder {
  /** Relative to the base URL, with query. */
  readonly path: string;
  body(): unknown;
  /** Changes the next `body` as the error response demands; false if it demands nothing known. */
  adaptTo(error: ErrorResponse): boolean;
  /** Called when the provider accepted the last body. */
  onAccepted(): void;
}

export interface StreamDecoder {
  /** Decodes the data of one event. Throws a `ProviderError` if it is an error or invalid. */
  decode(data: string): void;
}

export interface ProviderProtocol {
  headers(apiKey: string): Readonly<Record<string, string>>;
  createRequest(request: ModelRequest): RequestBuilder;
  /** Whether an error response says that a filter blocked the prompt, which counts as an answer. */
  isContentFilter?(error: ErrorResponse): boolean;
  createDecoder(response: ResponseAccumulator): StreamDecoder;
}
