import { parseApiKey } from "../credentials/api_key_format.ts";
import { bearerKey } from "../http/authenticate.ts";
import { keys } from "../storage/keys.ts";
import { readAhead } from "../storage/read_ahead.ts";

/** How a store is opened whose first reads are known. */
export interface OpeningAhead {
  openKv: (path?: string) => Promise<Deno.Kv>;
  /** To be called once the service is open. */
  end(): void;
}

/**
 * Opens a store by `openKv` and asks it at once for all that opening the service reads, and for whose
 * the API key of the `request` is that the process was started for: both in one round trip.
 */
export function openAhead(
  openKv: (path?: string) => Promise<Deno.Kv>,
  request?: Request,
): OpeningAhead {
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
    end: () => ends.forEach((end) => end()),
  };
}
