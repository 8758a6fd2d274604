import type { ProviderProtocol } from "../protocol.ts";
import { OpenaiDecoder } from "./openai_decoder.ts";
import { OpenaiDialects } from "./openai_dialect.ts";
import { OpenaiRequestBuilder } from "./openai_request.ts";

/** Chat Completions, streamed: the protocol of most compatible servers. */
export function openaiProtocol(baseUrl: string): ProviderProtocol {
  const dialects = new OpenaiDialects(baseUrl);
  const modelsWithoutTemperature = new Set<string>();
  return {
    headers: (apiKey) => ({ authorization: `Bearer ${apiKey}` }),
    createRequest: (request) =>
      new OpenaiRequestBuilder(request, { dialects, modelsWithoutTemperature }),
    // Quotes within a quoted prompt are escaped, so only the provider's own field matches.
    isContentFilter: ({ status, errorBody = "" }) =>
      status === 400 && /"code"\s*:\s*"content_filter"/.test(errorBody),
    createDecoder: (response) => new OpenaiDecoder(response),
  };
}
