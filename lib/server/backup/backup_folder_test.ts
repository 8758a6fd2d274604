import { assertEquals } from "@std/assert";
import { FakeRuntime } from "@/tests/support/fake_runtime.ts";
import { backupName, listBackups, partialFileOf, pruneBackups } from "./backup_folder.ts";
import { manifestFileOf, secretsFileOf } from "./backup_manifest.ts";
import { BackupStatus } from "./backup_status.ts";

const HOUR = 3_600_000;
const START = Date.UTC(2026, 0, 15, 10, 30);

async function withFolder(run: (folder: string) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir();
  try {
    await run(folder);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

async function addBackup(folder: string, at: number, installation: string): Promise<string> {
  const file = `${folder}/${backupName(at)}`;
  await Deno.writeTextFile(file, "store");
  await Deno.writeTextFile(secretsFileOf(file), "secrets");
  const manifest = {
    ...{ format: 1, createdAt: new Date(at).toISOString(), bytes: 5, entries: 1, installation },
    ...{ sha256: "0".repeat(64), hasSecrets: true },
  };
  await Deno.writeTextFile(manifestFileOf(file), JSON.stringify(manifest));
  return file;
}

Deno.test("pruneBackups: keeps the latest of an installation, and every file of others", async () => {
  await withFolder(async (folder) => {
    const own: string[] = [];
    for (let n = 0; n < 5; n++) own.unshift(await addBackup(folder, START + n * HOUR, "mine"));
    const foreign = await addBackup(folder, START - HOUR, "other");
    const stray = [`${folder}/notes.txt`, `${folder}/${backupName(START - 2 * HOUR)}`];
    for (const path of stray) await Deno.writeTextFile(path, "mine");
    const { deleted, failed } = await pruneBackups(folder, {
      ...{ installation: "mine", keep: 2, made: own[0]!, now: START },
    });
    assertEquals([deleted, failed], [own.slice(2), []]);
    const left = await Array.fromAsync(Deno.readDir(folder), ({ name }) => `${folder}/${name}`);
    const whole = [...own.slice(0, 2), foreign]
      .flatMap((file) => [file, manifestFileOf(file), secretsFileOf(file)]);
    assertEquals(left.sort(), [...whole, ...stray].sort());
    const listed = await listBackups(folder, "mine");
    assertEquals(listed.map(({ file }) => file), own.slice(0, 2));
  });
});

Deno.test("pruneBackups: the one just made stays, whatever the times of others are", async () => {
  await withFolder(async (folder) => {
    const ahead = [4, 3, 2].map((hours) => addBackup(folder, START + hours * HOUR, "mine"));
    const later = await Promise.all(ahead);
    const made = await addBackup(folder, START, "mine");
    const options = { installation: "mine", keep: 2, made, now: START };
    assertEquals((await pruneBackups(folder, options)).deleted, later.slice(1));
    assertEquals((await listBackups(folder, "mine")).map(({ file }) => file), [later[0], made]);
  });
});

Deno.test("pruneBackups: what an interrupted backup left is deleted a day later", async () => {
  await withFolder(async (folder) => {
    const file = partialFileOf(`${folder}/${backupName(START)}`);
    const left = [file, `${file}-journal`];
    const other = `${folder}/notes.partial`;
    for (const path of [...left, other]) await Deno.writeTextFile(path, "");
    for (const path of [...left, other]) await Deno.utime(path, START / 1_000, START / 1_000);
    const prune = (now: number) =>
      pruneBackups(folder, { ...{ installation: "mine", keep: 2, made: "", now } });
    assertEquals(await prune(START + 24 * HOUR), { deleted: [], failed: [] });
    assertEquals(await prune(START + 25 * HOUR), { deleted: left, failed: [] });
    assertEquals(await Array.fromAsync(Deno.readDir(folder), ({ name }) => name), [
      "notes.partial",
    ]);
  });
});

Deno.test("pruneBackups: what cannot be deleted is reported, and the rest is deleted", async () => {
  await withFolder(async (folder) => {
    const [made, second, third] = await Promise.all(
      [2, 1, 0].map((hours) => addBackup(folder, START + hours * HOUR, "mine")),
    );
    // A folder that has something in it, in the place of a file.
    await Deno.remove(secretsFileOf(second!));
    await Deno.mkdir(`${secretsFileOf(second!)}/full`, { recursive: true });
    const options = { installation: "mine", keep: 1, made: made!, now: START };
    const { deleted, failed } = await pruneBackups(folder, options);
    assertEquals([deleted, failed.map(({ file }) => file)], [[third], [second]]);
  });
});

Deno.test("BackupStatus: a backup is overdue after twice the time between two", async () => {
  await withFolder(async (folder) => {
    const runtime = new FakeRuntime();
    const status = new BackupStatus({
      ...{ folder, everyMs: HOUR, runtime },
      readInstallation: () => Promise.resolve("mine"),
    });
    assertEquals(await status.read(), { lastAt: undefined, isOverdue: false });
    await runtime.advance(2 * HOUR + 1);
    assertEquals(await status.read(), { lastAt: undefined, isOverdue: true });
    const at = Math.floor(runtime.now() / 1_000) * 1_000;
    await addBackup(folder, at, "mine");
    await runtime.advance(HOUR);
    assertEquals(await status.read(), { lastAt: at, isOverdue: false });
    await runtime.advance(2 * HOUR);
    assertEquals(await status.read(), { lastAt: at, isOverdue: true });
  });
});

Deno.test("BackupStatus: a time in the future does not count", async () => {
  await withFolder(async (folder) => {
    const runtime = new FakeRuntime();
    const readInstallation = () => Promise.resolve("mine");
    const status = new BackupStatus({ folder, everyMs: HOUR, runtime, readInstallation });
    await addBackup(folder, runtime.now() + 365 * 24 * HOUR, "mine");
    assertEquals(await status.readLast(), undefined);
    const past = Math.floor(runtime.now() / 1_000) * 1_000 - HOUR;
    await addBackup(folder, past, "mine");
    assertEquals(await status.readLast(), past);
  });
});

Deno.test("listBackups: a folder that does not exist has none", async () => {
  assertEquals(await listBackups("/nonexistent/backups", "mine"), []);
});
