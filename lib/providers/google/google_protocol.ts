import type { ProviderProtocol } from "../protocol.ts";
import { TemperatureFallback } from "../temperature_fallback.ts";
import { GoogleDecoder } from "./google_decoder.ts";
import { toGoogleRequest } from "./google_request.ts";
import { modelPath } from "./model_path.ts";

/** `streamGenerateContent` with server-sent events. */
export function googleProtocol(): ProviderProtocol {
  const modelsWithoutTemperature = new Set<string>();
  return {
    headers: (apiKey) => ({ "x-goog-api-key": apiKey }),
    createRequest: (request) =>
      new TemperatureFallback(request, {
        path: `/${modelPath(request.model)}:streamGenerateContent?alt=sse`,
        toBody: toGoogleRequest,
        modelsWithoutTemperature,
      }),
    createDecoder: (response) => new GoogleDecoder(response),
  };
}
