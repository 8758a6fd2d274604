import type { Protocol } from "../protocol.ts";
import { OpenaiDecoder } from "./openai_decoder.ts";
import { OpenaiDialects } from "./openai_dialect.ts";
import { OpenaiPhrasing } from "./openai_phrasing.ts";

/** Chat Completions, streamed: the protocol that most compatible servers speak. */
export function openaiProtocol(baseUrl: string): Protocol {
  const dialects = new OpenaiDialects(baseUrl);
  return {
    headers: (apiKey) => ({ authorization: `Bearer ${apiKey}` }),
    phrase: (request) => new OpenaiPhrasing(request, dialects),
    decoder: (turn) => new OpenaiDecoder(turn),
  };
}
