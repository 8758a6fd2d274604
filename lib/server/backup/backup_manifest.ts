import { createHash } from "node:crypto";
import { z } from "zod";
import { tryParseJson } from "../../platform/json.ts";

/** What a backup is: beside `FILE`, as `FILE.json`. It is written last, so a backup with one is whole. */
const manifestSchema = z.object({
  format: z.literal(1),
  createdAt: z.iso.datetime(),
  /** Of the file, bytes and lowercase hex. */
  bytes: z.int().nonnegative(),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  /** How many entries the store has. */
  entries: z.int().nonnegative(),
  /** Identifies the installation: the id of its first tenant. */
  installation: z.string().optional(),
  /** Whether `FILE.secrets` belongs to it. */
  hasSecrets: z.boolean(),
});
export type BackupManifest = z.infer<typeof manifestSchema>;

export const manifestFileOf = (file: string) => `${file}.json`;
export const secretsFileOf = (file: string) => `${file}.secrets`;

/** The manifest of a backup; `undefined` if there is none. Throws if it is damaged. */
export async function readManifest(file: string): Promise<BackupManifest | undefined> {
  let text: string;
  try {
    text = await Deno.readTextFile(manifestFileOf(file));
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
  const parsed = manifestSchema.safeParse(tryParseJson(text));
  if (!parsed.success) throw new Error(`${manifestFileOf(file)} is damaged`);
  return parsed.data;
}

/** Size and hash of a file of any size. */
export async function measureFile(path: string): Promise<{ bytes: number; sha256: string }> {
  const hash = createHash("sha256");
  let bytes = 0;
  using file = await Deno.open(path);
  for await (const chunk of file.readable) {
    hash.update(chunk);
    bytes += chunk.length;
  }
  return { bytes, sha256: hash.digest("hex") };
}
