import { assert, assertEquals, assertRejects } from "@std/assert";
import { isGoneWithin, testWorker } from "@/tests/support/worker.ts";
import { DocumentParseError } from "../document_parse_error.ts";
import type { Job } from "./job_messages.ts";
import { type WorkerCommand, WorkerProcess } from "./worker_process.ts";
import { WORKER_LIMITS, workerScript } from "./worker_script.ts";

const root = new URL("../../../../", import.meta.url).pathname;
const job: Job = { kind: "document", bytes: new TextEncoder().encode("x"), type: "text/plain" };

/** A worker that runs `source`, started with the same flags. */
async function withProgram(source: string, work: (command: WorkerCommand) => Promise<void>) {
  const dir = await Deno.makeTempDir();
  await Deno.mkdir(`${dir}/lib/knowledge/ingest/worker`, { recursive: true });
  await Deno.writeTextFile(`${dir}/deno.json`, "{}");
  await Deno.writeTextFile(`${dir}/lib/knowledge/ingest/worker/main.ts`, source);
  const script = workerScript({ deno: Deno.execPath(), root: dir, env: { HOME: dir } });
  try {
    await work({ path: "/bin/sh", args: ["-c", script] });
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
}

/** A program that responds to its first job with `header` and the bytes `more`. */
const answering = (header: string, more = "") => `
  const json = (text) => {
    const bytes = new TextEncoder().encode(text);
    const head = new Uint8Array(4);
    new DataView(head.buffer).setUint32(0, bytes.length, true);
    return new Uint8Array([...head, ...bytes]);
  };
  Deno.stdout.writeSync(json('{"kind":"ready","sizes":[]}'));
  Deno.stdin.readSync(new Uint8Array(1000));
  Deno.stdout.writeSync(json(await (async () => ${header})()));
  Deno.stdout.writeSync(new TextEncoder().encode(${JSON.stringify(more)}));
  Deno.stdin.readSync(new Uint8Array(1000));
`;

Deno.test("WorkerProcess: its program has no permissions", async () => {
  const attempts = {
    read: `Deno.readTextFileSync("/etc/hostname")`,
    readItself: `Deno.readTextFileSync(new URL(import.meta.url))`,
    write: `Deno.writeTextFileSync("/tmp/worker_was_here", "x")`,
    net: `await fetch("http://127.0.0.1:1/")`,
    listen: `Deno.listen({ port: 0 })`,
    dns: `await Deno.resolveDns("localhost", "A")`,
    env: `Deno.env.get("HOME")`,
    sys: `Deno.hostname()`,
    run: `new Deno.Command("/bin/true").outputSync()`,
    ffi: `Deno.dlopen("libc.so.6", {})`,
    import: `await import(["https:", "//deno.land/x.ts"].join(""))`,
    importFile: `await import(["file:", "///etc/hostname"].join(""))`,
    eval: `eval("1")`,
    function: `new Function("1")()`,
  };
  const tries = Object.entries(attempts).map(([name, code]) =>
    `try { ${code}; done.push("${name}"); } catch { /* denied */ }`
  );
  const header = `{ const done = []; ${tries.join("\n")}
    return JSON.stringify({ kind: "unreadable", code: "no_text", message: "did: " + done, sizes: [] }); }`;
  await withProgram(answering(header), async (command) => {
    const worker = new WorkerProcess(command);
    try {
      const result = await worker.run(job, { timeMs: 10_000 });
      assert(result.kind === "unreadable");
      assertEquals(result.message, "did: ");
    } finally {
      await worker.terminate();
    }
  });
});

Deno.test("WorkerProcess: an invalid result fails the document and ends the process", async () => {
  const wrong = [
    `"nonsense"`,
    `"null"`,
    `'{"kind":"document","chunks":1,"sizes":[99999999999]}'`,
    `'{"kind":"document","chunks":1,"sizes":[-1]}'`,
    `'{"kind":"document","chunks":99999999,"sizes":[]}'`,
    `'{"kind":"unreadable","code":"secret","message":"x","sizes":[]}'`,
    `JSON.stringify({ kind: "unreadable", code: "no_text", message: "x".repeat(9999), sizes: [] })`,
    `'{"kind":"uploads","uploads":[{"title":"t","mediaType":"text/plain"}],"sizes":[]}'`,
    `"x".repeat(5_000_000)`,
  ];
  for (const header of wrong) {
    await withProgram(answering(`{ return ${header}; }`), async (command) => {
      const worker = new WorkerProcess(command);
      const error = await assertRejects(
        () => worker.run(job, { timeMs: 10_000 }),
        DocumentParseError,
      );
      assertEquals(error.code, "damaged", header);
      assert(await isGoneWithin(worker.pid, 0));
    });
  }
});

Deno.test("WorkerProcess: a process that does not start is an internal error", async () => {
  await withProgram("throw new Error('broken')", async (command) => {
    const worker = new WorkerProcess(command);
    const error = await assertRejects(() => worker.run(job, { timeMs: 10_000 }), Error);
    assert(!(error instanceof DocumentParseError));
    assert(await isGoneWithin(worker.pid, 0));
  });
});

Deno.test("WorkerProcess: it ends with its service, even if busy", async () => {
  for (const state of ["idle", "busy"]) {
    const service = new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", "--no-check", "tests/support/orphaned_worker.ts", state],
      cwd: root,
      stdout: "piped",
      stderr: "inherit",
    }).spawn();
    const reader = service.stdout.pipeThrough(new TextDecoderStream()).getReader();
    const pid = Number((await reader.read()).value);
    assert(pid > 0);
    service.kill("SIGKILL");
    await service.status;
    await reader.cancel();
    // A busy worker ends by its limit of CPU time, 2 s here.
    assert(await isGoneWithin(pid, state === "idle" ? 2_000 : 15_000), state);
  }
});

Deno.test("WorkerProcess: a signal from the terminal does not end it", async () => {
  const worker = new WorkerProcess(testWorker());
  assertEquals((await worker.run(job, { timeMs: 20_000 })).kind, "document");
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) Deno.kill(worker.pid, signal);
  assertEquals((await worker.run(job, { timeMs: 20_000 })).kind, "document");
  await worker.terminate();
  assert(await isGoneWithin(worker.pid, 0));
});

Deno.test("workerScript: paths with quotes and spaces are quoted, and arguments are ignored", async () => {
  const dir = await Deno.makeTempDir({ prefix: "it's a $(dir) " });
  try {
    const deno = `${dir}/program`;
    await Deno.writeTextFile(deno, '#!/bin/sh\nfor word; do echo "$word"; done\nenv\n', {
      mode: 0o755,
    });
    const script = workerScript({ deno, root: dir, env: { HOME: dir } }, WORKER_LIMITS);
    const { stdout } = await new Deno.Command("/bin/sh", {
      args: ["-c", script, "sh", "run", "-A", "evil.ts"],
      env: { DENO_PERMISSION_BROKER_PATH: "/evil" },
    }).output();
    const words = new TextDecoder().decode(stdout).split("\n");
    assert(words.includes(`${dir}/lib/knowledge/ingest/worker/main.ts`));
    assert(words.includes(`HOME=${dir}`));
    assert(!words.some((word) => word.includes("evil")));
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
});
