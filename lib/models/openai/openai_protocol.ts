import type { Protocol } from "../protocol.ts";
import { TemperedRequest } from "../tempered_request.ts";
import { OpenaiDecoder } from "./openai_decoder.ts";
import { OpenaiDialects } from "./openai_dialect.ts";
import { OpenaiPhrasing } from "./openai_phrasing.ts";

/** Chat Completions, streamed: the protocol that most compatible servers speak. */
export function openaiProtocol(baseUrl: string): Protocol {
  const dialects = new OpenaiDialects(baseUrl);
  const untempered = new Set<string>();
  return {
    headers: (apiKey) => ({ authorization: `Bearer ${apiKey}` }),
    phrase: (request) => new OpenaiPhrasing(new TemperedRequest(request, untempered), dialects),
    // Quotes inside a quoted prompt are escaped, so only the vendor's own field looks like this.
    filtered: ({ status, words = "" }) =>
      status === 400 && /"code"\s*:\s*"content_filter"/.test(words),
    decoder: (turn) => new OpenaiDecoder(turn),
  };
}
