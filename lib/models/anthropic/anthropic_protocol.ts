import type { Protocol } from "../protocol.ts";
import { anthropicBody } from "./anthropic_body.ts";
import { AnthropicDecoder } from "./anthropic_decoder.ts";

/** The version of the protocol that this is written for. */
const VERSION = "2023-06-01";

/** Messages, streamed. */
export function anthropicProtocol(): Protocol {
  return {
    headers: (apiKey) => ({ "x-api-key": apiKey, "anthropic-version": VERSION }),
    phrase: (request) => ({ path: "/messages", body: () => anthropicBody(request) }),
    decoder: (turn) => new AnthropicDecoder(turn),
  };
}
