/** `deno task copy-store`: moves a store between a file, a denokv server and Deno Deploy. */
import { systemRuntime } from "../lib/platform/runtime.ts";
import { compareStores } from "../lib/server/backup/copy/compare_stores.ts";
import { copyEntries, finishCopy } from "../lib/server/backup/copy/copy_entries.ts";
import { type CopySource, fileSource, kvSource } from "../lib/server/backup/copy/copy_source.ts";
import { StoreFile } from "../lib/server/backup/store_file.ts";
import { resolveStoreFile } from "../lib/server/process/data_dir.ts";
import { acquireProcessLock } from "../lib/server/process/process_lock.ts";
import { pathFromCaller } from "./arguments.ts";
import {
  COPY_STORE_HELP,
  type CopyStoreArgs,
  isServer,
  parseCopyStoreArgs,
} from "./copy_store_args.ts";
import { runFileCommand } from "./run_file_command.ts";

const { now } = systemRuntime;

if (import.meta.main) {
  const command = { name: "copy-store", help: COPY_STORE_HELP, parse: parseCopyStoreArgs, run };
  Deno.exit(await runFileCommand(Deno.args, command));
}

async function run({ from, to }: CopyStoreArgs): Promise<void> {
  using held = new DisposableStack();
  const source = await openSource(from, held);
  const target = await openTarget(to, held);
  const progress = progressPrinter();
  const copied = await copyEntries({ source, from, target, now, onProgress: progress.print });
  progress.end();
  console.log(`Copied   ${copied} entries`);
  const { entries, sha256, expired } = await compareStores(source, { target, now });
  await finishCopy(target);
  console.log(`Equal    ${entries} entries, SHA-256 ${sha256}`);
  if (expired > 0) console.log(`Expired  ${expired} entries meanwhile`);
}

async function openSource(from: string, held: DisposableStack): Promise<CopySource> {
  if (isServer(from)) return kvSource(held.use(await openServer(from, "FROM_ACCESS_TOKEN")), now);
  const path = await Deno.realPath(pathFromCaller(from));
  await lock(path, held);
  return fileSource(held.use(await StoreFile.open(path)));
}

async function openTarget(to: string, held: DisposableStack): Promise<Deno.Kv> {
  if (isServer(to)) return held.use(await openServer(to, "TO_ACCESS_TOKEN"));
  const path = await resolveStoreFile(pathFromCaller(to));
  await lock(path, held);
  return held.use(await Deno.openKv(path));
}

/** A service on the store would change it meanwhile. */
async function lock(path: string, held: DisposableStack): Promise<void> {
  const lock = await acquireProcessLock(`${path}.lock`, { what: "store", path });
  held.defer(() => lock.release());
}

/** Deno reads the token of a server when it opens it. */
async function openServer(url: string, token: string): Promise<Deno.Kv> {
  const value = Deno.env.get(token) || Deno.env.get("DENO_KV_ACCESS_TOKEN");
  if (!value) throw new Error(`set ${token} to the access token of ${url}`);
  Deno.env.set("DENO_KV_ACCESS_TOKEN", value);
  const kv = await Deno.openKv(url);
  // Fails now if the server or the token is wrong.
  await kv.get(["installation", "default_tenant"]);
  return kv;
}

/** Shows on a terminal how far the copy is. */
function progressPrinter(): { print(copied: number): void; end(): void } {
  if (!Deno.stderr.isTerminal()) return { print: () => {}, end: () => {} };
  const write = (text: string) => Deno.stderr.writeSync(new TextEncoder().encode(text));
  return {
    print: (copied) => void write(`\r${copied} entries`),
    end: () => void write("\r\x1b[K"),
  };
}
