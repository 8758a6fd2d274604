/** `@agent-chat/client/bind`: sessions that only this browser can use. */
import {
  base64url,
  boundFetch as bind,
  publicJwk,
  utf8,
} from "../../../widget/client/bound_fetch.ts";

/** Documented in bind.d.ts. */
export function boundFetch(fetcher: typeof fetch = fetch.bind(globalThis)): typeof fetch {
  return bind(fetcher);
}

/** Documented in bind.d.ts. */
export async function keyThumbprint(): Promise<string> {
  const bytes = utf8(JSON.stringify(await publicJwk()));
  return base64url(await crypto.subtle.digest("SHA-256", bytes));
}
