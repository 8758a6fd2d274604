import { z } from "zod";
import type { Runtime } from "../../platform/runtime.ts";
import { tryParseJson } from "../../platform/json.ts";
import { StartupError } from "./startup_error.ts";
import { dirname, resolve } from "node:path";

/** The secrets that an installation generates; `encryptionKey` is base64 of 32 bytes. */
const secretsSchema = z.object({
  hmacSecret: z.string().min(32),
  encryptionKey: z.string().length(44),
});

/** An existing folder keeps its mode: it may be shared, and each file in it is private anyway. */
export async function makePrivateDir(path: string): Promise<void> {
  await Deno.mkdir(path, { recursive: true, mode: 0o700 });
}

export async function makePrivateFile(path: string): Promise<void> {
  const file = await Deno.open(path, { create: true, append: true, mode: 0o600 });
  file.close();
  if (Deno.build.os !== "windows") await Deno.chmod(path, 0o600);
}

/** A damaged file is never replaced: new secrets would invalidate every API key and credential. */
export async function loadOrCreateSecrets(dataDir: string, runtime: Runtime) {
  const existing = await readSecrets(dataDir);
  if (existing !== undefined) return existing;
  const generated = {
    hmacSecret: runtime.randomBytes(32).toBase64(),
    encryptionKey: runtime.randomBytes(32).toBase64(),
  };
  await writeSecrets(dataDir, generated);
  return generated;
}

export type InstallationSecrets = z.infer<typeof secretsSchema>;

/** Replaces `secrets.json` in one step. */
export async function writeSecrets(dataDir: string, secrets: InstallationSecrets): Promise<void> {
  await writePrivateFile(secretsFile(dataDir), JSON.stringify(secrets, null, 2) + "\n");
}

/** The secrets of the environment, or the stored ones of each kind that is not set there. */
export function withStoredSecrets(
  { hmacSecrets, encryptionKeys }: {
    hmacSecrets?: readonly string[] | undefined;
    encryptionKeys?: readonly string[] | undefined;
  },
  { hmacSecret, encryptionKey }: InstallationSecrets,
): { hmacSecrets: readonly string[]; encryptionKeys: readonly string[] } {
  return {
    hmacSecrets: hmacSecrets ?? [hmacSecret],
    encryptionKeys: encryptionKeys ?? [encryptionKey],
  };
}

export const secretsFile = (dataDir: string) => `${dataDir}/secrets.json`;

/** The secrets of the data folder, if it has any. Throws `StartupError` if the file is damaged. */
export async function readSecrets(dataDir: string): Promise<InstallationSecrets | undefined> {
  const path = secretsFile(dataDir);
  let text: string;
  try {
    text = await Deno.readTextFile(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
  const parsed = secretsSchema.safeParse(tryParseJson(text));
  if (parsed.success) return parsed.data;
  throw new StartupError(
    `${path} is damaged: restore it from a backup; without it no API key is valid`,
  );
}

/** Only this user can read the file, and a crash leaves no part of it. */
export async function writePrivateFile(path: string, text: string): Promise<void> {
  const temporary = `${path}.${crypto.randomUUID()}.tmp`;
  try {
    using file = await Deno.open(temporary, { createNew: true, write: true, mode: 0o600 });
    const bytes = new TextEncoder().encode(text);
    for (let at = 0; at < bytes.length;) at += await file.write(bytes.subarray(at));
    await file.sync();
    await Deno.rename(temporary, path);
  } catch (error) {
    await Deno.remove(temporary).catch(() => {});
    throw error;
  }
}

export async function removeIfExists(path: string): Promise<void> {
  await Deno.remove(path).catch((error) => {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  });
}

/** Without links, so that two processes with different paths use one lock. */
export async function resolveStoreFile(path: string): Promise<string> {
  try {
    // The process may have no permission for the folder of an existing file.
    return await Deno.realPath(path);
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
  await makePrivateDir(dirname(resolve(path)));
  await makePrivateFile(path);
  return await Deno.realPath(path);
}
