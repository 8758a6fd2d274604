import type { Protocol } from "../protocol.ts";
import { TemperedPhrasing, TemperedRequest } from "../tempered_request.ts";
import { anthropicBody } from "./anthropic_body.ts";
import { AnthropicDecoder } from "./anthropic_decoder.ts";

/** The version of the protocol that this is written for. */
const VERSION = "2023-06-01";

/** Messages, streamed. */
export function anthropicProtocol(): Protocol {
  const untempered = new Set<string>();
  return {
    headers: (apiKey) => ({ "x-api-key": apiKey, "anthropic-version": VERSION }),
    phrase: (request) =>
      new TemperedPhrasing(new TemperedRequest(request, untempered), {
        path: "/messages",
        write: anthropicBody,
      }),
    decoder: (turn) => new AnthropicDecoder(turn),
  };
}
