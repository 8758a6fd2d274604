import { ModelError, type ModelRequest } from "../model.ts";
import type { Protocol } from "../protocol.ts";
import { googleBody } from "./google_body.ts";
import { GoogleDecoder } from "./google_decoder.ts";

/** `streamGenerateContent` with server-sent events. */
export function googleProtocol(): Protocol {
  return {
    headers: (apiKey) => ({ "x-goog-api-key": apiKey }),
    phrase: (request) => ({ path: pathOf(request), body: () => googleBody(request) }),
    decoder: (turn) => new GoogleDecoder(turn),
  };
}

/** The model is part of the path here, so its name must not lead anywhere else. */
function pathOf({ model }: ModelRequest): string {
  const parts = (model.includes("/") ? model : `models/${model}`).split("/");
  if (parts.some((part) => part === "" || part === "." || part === "..")) {
    throw new ModelError("provider_error", "the model's name cannot be asked for");
  }
  const encoded = parts.map(encodeURIComponent).join("/");
  return `/${encoded}:streamGenerateContent?alt=sse`;
}
