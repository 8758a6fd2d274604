import { z } from "zod";
import type { Runtime } from "../platform/runtime.ts";
import { keys } from "./keys/keys.ts";
import { describeScript, type ScriptBundle } from "./script_bundle.ts";
import { chunkKeys, concatBytes, readChunks, splitChunks } from "./values/chunks.ts";
import { parseRecord } from "./values/record.ts";

/** Releases before the newest whose scripts are stored: years of upgrades, in some 6 MiB. */
const MAX_EARLIER_RELEASES = 100;

const releaseSchema = z.object({
  v: z.literal(1),
  /** When it was last the newest, milliseconds. */
  at: z.int(),
  parts: z.int().positive(),
});

export type ScriptName =
  | "widget"
  | "widget-panel"
  | "widget-extras"
  | "widget-texts"
  | "client";

type Release = Omit<z.infer<typeof releaseSchema>, "v"> & { hash12: string };

/**
 * The scripts of the last releases, so that a page that pins one by its hash survives upgrades. They are
 * in the store, because it outlives the program's files.
 */
export class ScriptReleaseStore {
  #kv: Deno.Kv;
  #runtime: Pick<Runtime, "now">;
  #cached = new Map<string, ScriptBundle>();

  constructor(kv: Deno.Kv, runtime: Pick<Runtime, "now">) {
    this.#kv = kv;
    this.#runtime = runtime;
  }

  /**
   * Stores `bundle` as the newest release, once `after` is done, and deletes those that are too old.
   * It reads at once, because a process that starts waits for it.
   */
  async publish(
    name: ScriptName,
    bundle: ScriptBundle,
    after: Promise<void> = Promise.resolve(),
  ): Promise<void> {
    this.#cached.set(`${name}.${bundle.hash12}`, bundle);
    const stored = await this.#list(name);
    if (stored[0]?.hash12 === bundle.hash12) return;
    await after;
    await this.#write(name, bundle);
    const earlier = stored.filter(({ hash12 }) => hash12 !== bundle.hash12);
    for (const release of earlier.slice(MAX_EARLIER_RELEASES)) {
      await this.#deleteRelease(name, release);
    }
  }

  /** The script whose digest begins with these 12 digits, if it is one of the last releases. */
  async find(name: ScriptName, hash12: string): Promise<ScriptBundle | undefined> {
    const id = `${name}.${hash12}`;
    const cached = this.#cached.get(id);
    if (cached || !/^[0-9a-f]{12}$/.test(hash12)) return cached;
    const entry = await this.#kv.get(keys.scriptRelease(name, hash12));
    const release = parseRecord(releaseSchema, entry);
    const wanted = release && releaseKeys(name, { ...release, hash12 });
    const chunks = wanted && await readChunks(this.#kv, wanted);
    if (chunks === undefined) return undefined;
    const bundle = await describeScript(concatBytes(chunks));
    this.#cached.set(id, bundle);
    return bundle;
  }

  /** Newest first. */
  async #list(name: ScriptName): Promise<Release[]> {
    const rows = this.#kv.list({ prefix: keys.scriptReleases(name) });
    const releases = await Array.fromAsync(rows, (entry) => ({
      ...parseRecord(releaseSchema, entry)!,
      hash12: String(entry.key.at(-1)),
    }));
    return releases.sort((a, b) => b.at - a.at);
  }

  async #write(name: ScriptName, { body, hash12 }: ScriptBundle): Promise<void> {
    const chunks = splitChunks(body);
    const record = { v: 1, at: this.#runtime.now(), parts: chunks.length };
    const step = this.#kv.atomic().set(keys.scriptRelease(name, hash12), record);
    chunks.forEach((chunk, n) => step.set(keys.scriptReleaseChunk(name, hash12, n), chunk));
    await step.commit();
  }

  async #deleteRelease(name: ScriptName, release: Release): Promise<void> {
    const step = this.#kv.atomic().delete(keys.scriptRelease(name, release.hash12));
    for (const key of releaseKeys(name, release)) step.delete(key);
    await step.commit();
  }
}

function releaseKeys(
  name: ScriptName,
  { hash12, parts }: Pick<Release, "hash12" | "parts">,
): Deno.KvKey[] {
  return chunkKeys(parts, (n) => keys.scriptReleaseChunk(name, hash12, n));
}
