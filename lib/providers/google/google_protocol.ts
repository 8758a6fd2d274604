import type { ProviderProtocol } from "../protocol.ts";
import { FallbackRequestBuilder, TemperatureFallback } from "../temperature_fallback.ts";
import { toGoogleRequest } from "./google_request.ts";
import { GoogleDecoder } from "./google_decoder.ts";
import { modelPath } from "./model_path.ts";

/** `streamGenerateContent` with server-sent events. */
export function googleProtocol(): ProviderProtocol {
  const untempered = new Set<string>();
  return {
    headers: (apiKey) => ({ "x-goog-api-key": apiKey }),
    createRequest: (request) =>
      new FallbackRequestBuilder(new TemperatureFallback(request, untempered), {
        path: `/${modelPath(request.model)}:streamGenerateContent?alt=sse`,
        write: toGoogleRequest,
      }),
    createDecoder: (turn) => new GoogleDecoder(turn),
  };
}
