import { z } from "zod";
import { keys } from "../../../store/keys/keys.ts";
import { decodeValue, encodeValue } from "../../../store/values/value_codec.ts";
import { isBinaryKey } from "../../../store/values/is_binary_key.ts";
import type { StoredEntry } from "../store_file.ts";
import { type CopySource, listAll } from "./copy_source.ts";

/** A step of a store takes 1,000 changes of 800 KiB, whose keys have 80 KiB; one key takes 2 KiB. */
const MAX_ENTRIES = 200;
const MAX_BYTES = 400 * 1_024;
const MAX_KEY_BYTES = 64 * 1_024;

const encoder = new TextEncoder();
const part = z.union([z.string(), z.number(), z.boolean(), z.instanceof(Uint8Array)]);
const progressSchema = z.object({
  v: z.literal(1),
  /** What is copied, as it was named. */
  from: z.string(),
  /** The last key that was copied. */
  after: z.array(part),
  copied: z.int().nonnegative(),
});
type Progress = z.infer<typeof progressSchema>;

/** The target already has entries, or those of another copy. */
export class TargetNotEmptyError extends Error {
  override name = "TargetNotEmptyError";
}

export interface CopyOptions {
  source: CopySource;
  /** How the source is named, to find its unfinished copy. */
  from: string;
  /** The store itself, without encoding of values. */
  target: Deno.Kv;
  now: () => number;
  /** Called after each step. */
  onProgress?: (copied: number) => void;
}

/**
 * Copies every entry that has not expired. Each step also records how far the copy is, so that a copy that
 * was interrupted continues. Returns how many entries were copied, also by earlier attempts.
 */
export async function copyEntries(options: CopyOptions): Promise<number> {
  const { source, from, target, now, onProgress } = options;
  const begun = await readProgress(target, from);
  let copied = begun?.copied ?? 0;
  let step: StoredEntry[] = [];
  let size = { keys: 0, values: 0 };
  const commit = async () => {
    if (step.length === 0) return;
    copied += step.length;
    const after = step.at(-1)!.key as Progress["after"];
    await writeStep(target, { entries: step, progress: { v: 1, from, after, copied }, now: now() });
    onProgress?.(copied);
    [step, size] = [[], { keys: 0, values: 0 }];
  };
  for await (const entry of source.entries(begun?.after)) {
    if (hasExpired(entry, now())) continue;
    const stored = { ...entry, value: toStored(entry) };
    const more = sizeOf(stored);
    const isFull = step.length === MAX_ENTRIES || size.keys + more.keys > MAX_KEY_BYTES ||
      size.values + more.values > MAX_BYTES;
    if (isFull) await commit();
    step.push(stored);
    size = { keys: size.keys + more.keys, values: size.values + more.values };
  }
  await commit();
  return copied;
}

/** What is stored for a value: those of early releases, which V8 serialized, are converted. */
export function toStored({ key, value }: Pick<StoredEntry, "key" | "value">): unknown {
  if (value instanceof Uint8Array || value instanceof Deno.KvU64 || isBinaryKey(key)) return value;
  return encodeValue(value);
}

export function hasExpired({ expiresAt }: StoredEntry, now: number): boolean {
  return expiresAt !== undefined && expiresAt <= now;
}

async function writeStep(
  target: Deno.Kv,
  { entries, progress, now }: { entries: StoredEntry[]; progress: Progress; now: number },
): Promise<void> {
  const step = target.atomic().set(keys.installation("store_copy"), encodeValue(progress));
  for (const { key, value, expiresAt } of entries) {
    step.set(key, value, expiresAt === undefined ? {} : { expireIn: Math.max(1, expiresAt - now) });
  }
  await step.commit();
}

/** Forgets how far the copy is: the target is complete. */
export async function finishCopy(target: Deno.Kv): Promise<void> {
  await target.delete(keys.installation("store_copy"));
}

/** What an earlier attempt copied. Throws `TargetNotEmptyError` if the target has anything else. */
async function readProgress(target: Deno.Kv, from: string): Promise<Progress | undefined> {
  const { value, versionstamp } = await target.get(keys.installation("store_copy"));
  if (versionstamp === null) {
    for await (const _entry of listAll(target)) {
      throw new TargetNotEmptyError("the target has entries already: copy into an empty store");
    }
    return undefined;
  }
  const progress = progressSchema.parse(decodeValue(value as Uint8Array));
  if (progress.from === from) return progress;
  throw new TargetNotEmptyError(`the target has an unfinished copy of ${progress.from}`);
}

function sizeOf({ key, value }: StoredEntry): { keys: number; values: number } {
  // Deno KV writes a zero byte as two, and a type and an end to each part.
  const keys = key.reduce<number>((sum, part) => sum + 2 + 2 * sizeOfPart(part), 0);
  return { keys, values: value instanceof Uint8Array ? value.length : 8 };
}

function sizeOfPart(part: Deno.KvKeyPart): number {
  if (part instanceof Uint8Array) return part.length;
  return typeof part === "string" ? encoder.encode(part).length : 8;
}
