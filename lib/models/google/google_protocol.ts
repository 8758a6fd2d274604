import type { Protocol } from "../protocol.ts";
import { googleBody } from "./google_body.ts";
import { GoogleDecoder } from "./google_decoder.ts";
import { modelPath } from "./model_path.ts";

/** `streamGenerateContent` with server-sent events. */
export function googleProtocol(): Protocol {
  return {
    headers: (apiKey) => ({ "x-goog-api-key": apiKey }),
    phrase: (request) => ({
      path: `/${modelPath(request.model)}:streamGenerateContent?alt=sse`,
      body: () => googleBody(request),
    }),
    decoder: (turn) => new GoogleDecoder(turn),
  };
}
