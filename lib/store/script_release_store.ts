import { z } from "zod";
import type { Runtime } from "../platform/runtime.ts";
import type { ScriptBundle } from "./script_bundle.ts";
import { describeScript } from "./script_bundle.ts";
import { keys } from "./keys/keys.ts";
import { joinChunks, readChunks, splitChunks } from "./values/chunks.ts";
import { parseRecord } from "./values/record.ts";

/** Releases before the newest whose scripts stay. */
const MAX_EARLIER_RELEASES = 10;

const releaseSchema = z.object({
  v: z.literal(1),
  /** When it was last the newest, milliseconds. */
  at: z.int(),
  parts: z.int().positive(),
});

export type ScriptName = "widget" | "client";

interface Release {
  hash12: string;
  at: number;
  parts: number;
}

/**
 * The scripts of the last releases, so that a page which pins one by its hash outlives upgrades. They
 * are in the store, because it is what stays when the program's files are replaced.
 */
export class ScriptReleaseStore {
  #kv: Deno.Kv;
  #runtime: Pick<Runtime, "now">;
  #cached = new Map<string, ScriptBundle>();

  constructor(kv: Deno.Kv, runtime: Pick<Runtime, "now">) {
    this.#kv = kv;
    this.#runtime = runtime;
  }

  /** Keeps `bundle` as the newest release, and drops the eleventh before it. */
  async publish(name: ScriptName, bundle: ScriptBundle): Promise<void> {
    this.#cached.set(`${name}.${bundle.hash12}`, bundle);
    const kept = await this.#list(name);
    if (kept[0]?.hash12 === bundle.hash12) return;
    await this.#write(name, bundle);
    const earlier = kept.filter(({ hash12 }) => hash12 !== bundle.hash12);
    for (const release of earlier.slice(MAX_EARLIER_RELEASES)) {
      await this.#deleteRelease(name, release);
    }
  }

  /** The script with these first 12 digits of its digest, if it is one of the last. */
  async find(name: ScriptName, hash12: string): Promise<ScriptBundle | undefined> {
    const id = `${name}.${hash12}`;
    const known = this.#cached.get(id);
    if (known || !/^[0-9a-f]{12}$/.test(hash12)) return known;
    const release = parseRecord(
      releaseSchema,
      await this.#kv.get(keys.scriptRelease(name, hash12)),
    );
    const parts = release && await readChunks(this.#kv, chunkKeys(name, { ...release, hash12 }));
    if (parts === undefined) return undefined;
    const bundle = await describeScript(joinChunks(parts));
    this.#cached.set(id, bundle);
    return bundle;
  }

  /** Newest first. */
  async #list(name: ScriptName): Promise<Release[]> {
    const releases: Release[] = [];
    for await (const entry of this.#kv.list({ prefix: keys.scriptReleases(name) })) {
      const record = parseRecord(releaseSchema, entry);
      if (record) releases.push({ ...record, hash12: String(entry.key.at(-1)) });
    }
    return releases.sort((a, b) => b.at - a.at);
  }

  async #write(name: ScriptName, { body, hash12 }: ScriptBundle): Promise<void> {
    const parts = splitChunks(body);
    const record = { v: 1, at: this.#runtime.now(), parts: parts.length };
    const change = this.#kv.atomic().set(keys.scriptRelease(name, hash12), record);
    parts.forEach((part, n) => change.set(keys.scriptReleaseChunk(name, hash12, n), part));
    await change.commit();
  }

  async #deleteRelease(name: ScriptName, release: Release): Promise<void> {
    const change = this.#kv.atomic().delete(keys.scriptRelease(name, release.hash12));
    for (const key of chunkKeys(name, release)) change.delete(key);
    await change.commit();
  }
}

function chunkKeys(name: ScriptName, { hash12, parts }: Omit<Release, "at">): Deno.KvKey[] {
  return Array.from({ length: parts }, (_, n) => keys.scriptReleaseChunk(name, hash12, n));
}
