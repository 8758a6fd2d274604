import type { Protocol } from "../protocol.ts";
import { TemperedPhrasing, TemperedRequest } from "../tempered_request.ts";
import { googleBody } from "./google_body.ts";
import { GoogleDecoder } from "./google_decoder.ts";
import { modelPath } from "./model_path.ts";

/** `streamGenerateContent` with server-sent events. */
export function googleProtocol(): Protocol {
  const untempered = new Set<string>();
  return {
    headers: (apiKey) => ({ "x-goog-api-key": apiKey }),
    phrase: (request) =>
      new TemperedPhrasing(new TemperedRequest(request, untempered), {
        path: `/${modelPath(request.model)}:streamGenerateContent?alt=sse`,
        write: googleBody,
      }),
    decoder: (turn) => new GoogleDecoder(turn),
  };
}
