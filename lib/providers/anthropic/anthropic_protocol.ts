import type { ProviderProtocol } from "../protocol.ts";
import { FallbackRequestBuilder, TemperatureFallback } from "../temperature_fallback.ts";
import { toAnthropicRequest } from "./anthropic_request.ts";
import { AnthropicDecoder } from "./anthropic_decoder.ts";

/** The version of the protocol that this is written for. */
const VERSION = "2023-06-01";

/** Messages, streamed. */
export function anthropicProtocol(): ProviderProtocol {
  const untempered = new Set<string>();
  return {
    headers: (apiKey) => ({ "x-api-key": apiKey, "anthropic-version": VERSION }),
    createRequest: (request) =>
      new FallbackRequestBuilder(new TemperatureFallback(request, untempered), {
        path: "/messages",
        write: toAnthropicRequest,
      }),
    createDecoder: (turn) => new AnthropicDecoder(turn),
  };
}
