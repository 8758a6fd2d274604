import { DENOKV_TOKEN, DenokvServer } from "./denokv_server.ts";
import { TEST_ENCRYPTION_KEY } from "./encryption_keys.ts";
import { openTestKv } from "./open_kv.ts";
import { TEST_HMAC_SECRET } from "./service.ts";

/** A store that several services or processes of a test use. */
export interface SharedStore extends AsyncDisposable {
  /** Opens a handle like one process; it closes with the store. */
  open(): Promise<Deno.Kv>;
  /** Data folder of the processes. */
  readonly dir: string;
  /** Environment of processes that use it. */
  readonly env: Record<string, string>;
  /** Whether only one process can use it, so that other processes' runs are orphaned. */
  readonly alone: boolean;
}

type OpenStore = () => Promise<SharedStore>;

/** Path of a `denokv` server; without it, its tests are ignored. */
export const DENOKV_BIN = Deno.env.get("DENOKV_BIN");

/**
 * A function that registers tests, each of them on the store that `openOwn` makes, on a genuine `denokv`
 * server, and over a socket if `openServed` is given.
 */
export function onStores(
  openOwn: OpenStore,
  openServed?: OpenStore,
): (name: string, fn: (store: SharedStore) => Promise<void>) => void {
  return (name, fn) => {
    const on = (open: OpenStore) => async () => {
      await using store = await open();
      await fn(store);
    };
    Deno.test(name, on(openOwn));
    if (openServed !== undefined) Deno.test(`over a socket: ${name}`, on(openServed));
    Deno.test({
      name: `denokv: ${name}`,
      ignore: DENOKV_BIN === undefined,
      fn: on(() => denokvStore(DENOKV_BIN!)),
    });
  };
}

/** An in-memory store for services in this process, which share one handle. */
export async function memoryStore(): Promise<SharedStore> {
  await using owned = new AsyncDisposableStack();
  const dir = await ownDir(owned);
  const kv = owned.use(await openTestKv());
  return storeOf({ open: () => Promise.resolve(kv), dir, env: {}, alone: true }, owned.move());
}

/** The file of a service with its data in the store's folder. */
export async function fileStore(): Promise<SharedStore> {
  await using owned = new AsyncDisposableStack();
  const dir = await ownDir(owned);
  const handles = owned.use(new DisposableStack());
  const open = async () => handles.use(await openTestKv(`${dir}/data/kv.sqlite3`));
  return storeOf({ open, dir, env: {}, alone: true }, owned.move());
}

/** An empty store on a new `denokv` server with the executable `bin`. */
export async function denokvStore(bin: string): Promise<SharedStore> {
  await using owned = new AsyncDisposableStack();
  const dir = await ownDir(owned);
  const { url } = owned.use(await DenokvServer.start(bin));
  const handles = owned.use(new DisposableStack());
  const open = async () => handles.use(await openTestKv(url));
  const env = {
    KV_URL: url,
    DENO_KV_ACCESS_TOKEN: DENOKV_TOKEN,
    API_KEY_HMAC_SECRET: TEST_HMAC_SECRET,
    ENCRYPTION_KEY: TEST_ENCRYPTION_KEY,
  };
  return storeOf({ open, dir, env, alone: false }, owned.move());
}

async function ownDir(owned: AsyncDisposableStack): Promise<string> {
  const dir = await Deno.makeTempDir();
  owned.defer(() => Deno.remove(dir, { recursive: true }));
  return dir;
}

function storeOf(
  store: Omit<SharedStore, typeof Symbol.asyncDispose>,
  owned: AsyncDisposableStack,
): SharedStore {
  return { ...store, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}
