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
  return {
    openKv: async (path?: string): Promise<Deno.Kv> => {
      const { kv, end } = readAhead(await openKv(path), lookups);
      discards.push(end);
      return kv;
    },
    discard: () => discards.forEach((end) => end()),
  };
}
