import { assertEquals, assertNotEquals, assertRejects } from "@std/assert";
import { systemRuntime } from "../../platform/runtime.ts";
import { loadOrCreateSecrets, makePrivateDir, makePrivateFile } from "./data_dir.ts";

async function modeOf(path: string): Promise<string> {
  return ((await Deno.stat(path)).mode! & 0o777).toString(8);
}

async function inTempDir(run: (dir: string) => Promise<void>): Promise<void> {
  const dir = await Deno.makeTempDir();
  await run(dir).finally(() => Deno.remove(dir, { recursive: true }));
}

Deno.test("makePrivateDir: creates the folder and its parents for the owner only", () =>
  inTempDir(async (dir) => {
    await makePrivateDir(`${dir}/a/b`);
    assertEquals(await modeOf(`${dir}/a`), "700");
    assertEquals(await modeOf(`${dir}/a/b`), "700");
  }));

Deno.test("makePrivateDir: keeps the mode of an existing folder", () =>
  inTempDir(async (dir) => {
    await Deno.chmod(dir, 0o755);
    await makePrivateDir(dir);
    assertEquals(await modeOf(dir), "755");
  }));

Deno.test("makePrivateFile: makes an existing file private and keeps its content", () =>
  inTempDir(async (dir) => {
    await Deno.writeTextFile(`${dir}/kv`, "data", { mode: 0o644 });
    await makePrivateFile(`${dir}/kv`);
    assertEquals(await modeOf(`${dir}/kv`), "600");
    assertEquals(await Deno.readTextFile(`${dir}/kv`), "data");
  }));

Deno.test("loadOrCreateSecrets: generates 32-byte secrets once in a private file", () =>
  inTempDir(async (dir) => {
    const made = await loadOrCreateSecrets(dir, systemRuntime);
    assertEquals(Uint8Array.fromBase64(made.hmacSecret).length, 32);
    assertEquals(Uint8Array.fromBase64(made.encryptionKey).length, 32);
    assertNotEquals(made.hmacSecret, made.encryptionKey);
    assertEquals(await modeOf(`${dir}/secrets.json`), "600");
    assertEquals(await loadOrCreateSecrets(dir, systemRuntime), made);
    const left = Array.from(Deno.readDirSync(dir), (entry) => entry.name);
    assertEquals(left, ["secrets.json"]);
  }));

Deno.test("loadOrCreateSecrets: a damaged file is an error and stays unchanged", () =>
  inTempDir(async (dir) => {
    await Deno.writeTextFile(`${dir}/secrets.json`, '{"hmacSecret": "cut o');
    await assertRejects(() => loadOrCreateSecrets(dir, systemRuntime), Error, "damaged");
    assertEquals(await Deno.readTextFile(`${dir}/secrets.json`), '{"hmacSecret": "cut o');
  }));
