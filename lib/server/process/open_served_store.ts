import type { Config } from "../config/config.ts";
import { withValueEncoding } from "../../store/kv/with_value_encoding.ts";
import { openSharedStore } from "../../store/shared/store_client.ts";
import { checkSecrets } from "./check_secrets.ts";
import { loadSecrets, openStore, type OpenStoreOptions, type Store } from "./open_store.ts";
import { type ServerPlace, storeSocket } from "./server_place.ts";

export interface ServedStoreOptions extends Pick<OpenStoreOptions, "runtime"> {
  place: ServerPlace;
  /** Opens the store at a URL. */
  openKv: OpenStoreOptions["openKv"];
  /** Wraps the store of the supervisor. */
  wrapKv: (kv: Deno.Kv) => Deno.Kv;
  /** The supervisor has ended, or the connection to it failed. */
  onLost: (error: Error) => void;
}

/**
 * Opens the store of a server process: the one that its supervisor has open and locked, or the KV server
 * at `KV_URL`, which each process opens.
 */
export async function openServedStore(
  config: Config,
  { place, openKv, wrapKv, onLost, runtime }: ServedStoreOptions,
): Promise<Store> {
  const conn = await Deno.connect({ transport: "unix", path: storeSocket(place.dir) });
  const shared = openSharedStore(conn, { onLost });
  if (config.kvUrl !== undefined) {
    const store = await openStore(config, { openKv, runtime });
    const closeShared = closeOnce(shared);
    return { ...store, close: () => store.close().then(closeShared) };
  }
  const kv = withValueEncoding(wrapKv(shared));
  const secrets = await loadSecrets(config, runtime);
  await checkSecrets(kv, { ...secrets, openKv, runtime });
  return {
    ...{ kv, ...secrets, compact: undefined },
    file: config.kvPath === ":memory:" ? undefined : await Deno.realPath(config.kvPath),
    isExclusive: place.isFirst,
    close: closeOnce(kv),
  };
}

/** A function that closes a store when it is called first. */
function closeOnce(kv: Deno.Kv): () => Promise<void> {
  let isOpen = true;
  return () => {
    if (isOpen) kv.close();
    isOpen = false;
    return Promise.resolve();
  };
}
