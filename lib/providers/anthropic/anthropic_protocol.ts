import type { ProviderProtocol } from "../protocol.ts";
import { TemperatureFallback } from "../temperature_fallback.ts";
import { AnthropicDecoder } from "./anthropic_decoder.ts";
import { toAnthropicRequest } from "./anthropic_request.ts";

const API_VERSION = "2023-06-01";

/** The Messages API, streamed. */
export function anthropicProtocol(): ProviderProtocol {
  const modelsWithoutTemperature = new Set<string>();
  return {
    headers: (apiKey) => ({ "x-api-key": apiKey, "anthropic-version": API_VERSION }),
    createRequest: (request) =>
      new TemperatureFallback(request, {
        path: "/messages",
        toBody: toAnthropicRequest,
        modelsWithoutTemperature,
      }),
    createDecoder: (response) => new AnthropicDecoder(response),
  };
}
