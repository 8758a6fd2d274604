import type { ModelRequest } from "./model.ts";
import type { Turn } from "./turn.ts";

/** A refusal as a phrasing may learn from it. */
export interface Refusal {
  status: number | undefined;
  words: string | undefined;
}

/** One request in a vendor's words. */
export interface Phrasing {
  /** Below the slot's base URL, with its query. */
  readonly path: string;
  /** To be sent as JSON. */
  body(): unknown;
  /** Whether the next `body` is another one that this refusal asks for. */
  rejected?(refusal: Refusal): boolean;
  /** The vendor took the last body. */
  accepted?(): void;
}

/** Reads a vendor's stream into a turn. */
export interface StreamDecoder {
  /** Takes the data of one event. Throws a `VendorFault` for an error or for what it cannot read. */
  take(data: string): void;
}

/** A wire protocol: how a request is put and how its answer is read. */
export interface Protocol {
  headers(apiKey: string): Readonly<Record<string, string>>;
  phrase(request: ModelRequest): Phrasing;
  /** Whether a refusal says that a filter took the prompt, which is an answer and no failure. */
  filtered?(refusal: Refusal): boolean;
  decoder(turn: Turn): StreamDecoder;
}
