import type { ProviderProtocol } from "../protocol.ts";
import { TemperatureFallback } from "../temperature_fallback.ts";
import { OpenaiDecoder } from "./openai_decoder.ts";
import { OpenaiDialects } from "./openai_dialect.ts";
import { OpenaiRequestBuilder } from "./openai_request.ts";

/** Chat Completions, streamed: the protocol that most compatible servers speak. */
export function openaiProtocol(baseUrl: string): ProviderProtocol {
  const dialects = new OpenaiDialects(baseUrl);
  const untempered = new Set<string>();
  return {
    headers: (apiKey) => ({ authorization: `Bearer ${apiKey}` }),
    createRequest: (request) =>
      new OpenaiRequestBuilder(new TemperatureFallback(request, untempered), dialects),
    // Quotes inside a quoted prompt are escaped, so only the vendor's own field looks like this.
    isContentFilter: ({ status, errorBody = "" }) =>
      status === 400 && /"code"\s*:\s*"content_filter"/.test(errorBody),
    createDecoder: (turn) => new OpenaiDecoder(turn),
  };
}
