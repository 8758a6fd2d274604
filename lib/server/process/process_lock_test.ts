import { assertEquals, assertRejects } from "@std/assert";
import { acquireProcessLock, releaseLock, StoreInUseError, tryLock } from "./process_lock.ts";

const MODULE = new URL("./process_lock.ts", import.meta.url).href;

/** A child process that holds the lock until it is killed. */
async function holdInChild(path: string): Promise<Deno.ChildProcess> {
  const program = `const { acquireProcessLock } = await import(${JSON.stringify(MODULE)});
    await acquireProcessLock(${JSON.stringify(path)}, { what: "store", path: "it" });
    console.log("held");
    await new Response(Deno.stdin.readable).text();`;
  const args = ["eval", program];
  const child = new Deno.Command(Deno.execPath(), { args, stdin: "piped", stdout: "piped" })
    .spawn();
  const reader = child.stdout.getReader();
  await reader.read();
  reader.releaseLock();
  return child;
}

Deno.test("acquireProcessLock: a second process is rejected with the pid of the holder", async () => {
  const dir = await Deno.makeTempDir();
  const lock = await acquireProcessLock(`${dir}/lock`, { what: "data folder", path: dir });
  const take = () => acquireProcessLock(`${dir}/lock`, { what: "data folder", path: dir });
  const error = await assertRejects(take, StoreInUseError);
  assertEquals(error.pid, Deno.pid);
  assertEquals(error.message.includes(dir), true);
  lock.release();
  lock.release();
  (await take()).release();
  await Deno.remove(dir, { recursive: true });
});

Deno.test("acquireProcessLock: kill -9 of the holder releases the lock", async () => {
  const dir = await Deno.makeTempDir();
  const child = await holdInChild(`${dir}/lock`);
  const take = () => acquireProcessLock(`${dir}/lock`, { what: "data folder", path: dir });
  const error = await assertRejects(take, StoreInUseError);
  assertEquals(error.pid, child.pid);
  child.kill("SIGKILL");
  await Promise.all([child.status, child.stdin.close().catch(() => {}), child.stdout.cancel()]);
  (await take()).release();
  await Deno.remove(dir, { recursive: true });
});

Deno.test("acquireProcessLock: a released lock is free even while child processes start", async () => {
  const dir = await Deno.makeTempDir();
  // Another thread's child has every file of this process open between its fork and its exec.
  const program = `for (;;) { await new Deno.Command("true").output(); postMessage("started"); }`;
  const worker = new Worker(`data:text/javascript,${encodeURIComponent(program)}`, {
    type: "module",
  });
  let started = 0;
  await new Promise((resolve) => worker.onmessage = () => ++started === 1 && resolve(started));
  while (started < 200) {
    (await acquireProcessLock(`${dir}/lock`, { what: "data folder", path: dir })).release();
  }
  worker.terminate();
  await Deno.remove(dir, { recursive: true });
});

Deno.test("acquireProcessLock: rejects and exits on versions of Deno that can only wait for locks", async () => {
  const dir = await Deno.makeTempDir();
  const lock = await acquireProcessLock(`${dir}/lock`, { what: "store", path: "it" });
  const program = `const { acquireProcessLock } = await import(${JSON.stringify(MODULE)});
    delete Deno.FsFile.prototype.tryLock;
    const take = (name) => acquireProcessLock(${
    JSON.stringify(dir)
  } + name, { what: "store", path: "it" });
    const error = await take("/lock").catch((error) => error);
    console.log(error.name, error.pid);
    (await take("/free")).release();
    Deno.exit(7);`;
  const { stdout, code } = await new Deno.Command(Deno.execPath(), { args: ["eval", program] })
    .output();
  assertEquals(new TextDecoder().decode(stdout), `StoreInUseError ${Deno.pid}\n`);
  assertEquals(code, 7);
  lock.release();
  await Deno.remove(dir, { recursive: true });
});

/** A file as Deno 2.5 has it, which can only wait for a lock. */
function withoutTryLock(file: Deno.FsFile): Deno.FsFile {
  return { lock: (exclusive: boolean) => file.lock(exclusive) } as Deno.FsFile;
}

Deno.test("tryLock: works on versions of Deno that can only wait for a lock", async () => {
  const path = await Deno.makeTempFile();
  try {
    const [first, second] = [await Deno.open(path), await Deno.open(path)];
    assertEquals(await tryLock(withoutTryLock(first)), true);
    assertEquals(await tryLock(withoutTryLock(second)), false);
    releaseLock(first);
    // Comes after the wait that was given up, which ends now.
    await second.lock(true);
    second.close();
  } finally {
    await Deno.remove(path);
  }
});
