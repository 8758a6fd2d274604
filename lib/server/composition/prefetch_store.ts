import { parseApiKey } from "../../store/credentials/api_key_format.ts";
import { bearerKey } from "../../http/identify_key.ts";
import { keys } from "../../store/keys/keys.ts";
import { readAhead } from "../../store/kv/read_ahead.ts";

/**
 * Reads in one round trip what opening the service needs and the owner of the API key in `request`, the
 * request that started the process. Call `discard` once the service is open.
 */
export function prefetchStore(openKv: (path?: string) => Promise<Deno.Kv>, request?: Request) {
  const discards: (() => void)[] = [];
  const text = request && bearerKey(request);
  const key = text === undefined ? undefined : parseApiKey(text);
  const lookups = key === undefined ? [] : [keys.apiKeyByPrefix(key.prefix)];
  const wrapKv = (store: Deno.Kv): Deno.Kv => {
    const { kv, end } = readAhead(store, lookups);
    discards.push(end);
    return kv;
  };
  return {
    openKv: async (path?: string): Promise<Deno.Kv> => wrapKv(await openKv(path)),
    /** The same for a store that is open. */
    wrapKv,
    discard: () => discards.forEach((end) => end()),
  };
}
