import { parseApiKey } from "../../store/credentials/api_key_format.ts";
import { bearerKey } from "../../http/authenticate.ts";
import { keys } from "../../store/keys/keys.ts";
import { readAhead } from "../../store/kv/read_ahead.ts";

/** How to open a store whose first reads are already under way. */
export interface StorePrefetch {
  openKv: (path?: string) => Promise<Deno.Kv>;
  /** To be called once the service is open. */
  discard(): void;
}

/**
 * Opens a store with `openKv` and at once reads, in one round trip, all that opening the service needs and
 * the owner of the API key in `request`, the request that started the process.
 */
export function prefetchStore(
  openKv: (path?: string) => Promise<Deno.Kv>,
  request?: Request,
): StorePrefetch {
  const ends: (() => void)[] = [];
  const text = request && bearerKey(request);
  const parts = text === undefined ? undefined : parseApiKey(text);
  const lookups = parts === undefined ? [] : [keys.apiKeyByPrefix(parts.prefix)];
  return {
    openKv: async (path) => {
      const { kv, end } = readAhead(await openKv(path), lookups);
      ends.push(end);
      return kv;
    },
    discard: () => ends.forEach((end) => end()),
  };
}
