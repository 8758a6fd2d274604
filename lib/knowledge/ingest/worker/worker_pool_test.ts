import { assert, assertEquals, assertNotEquals, assertRejects } from "@std/assert";
import { createLogger } from "@/lib/platform/log.ts";
import { bombPdf, endlessPdf, makePdf } from "@/tests/support/make_pdf.ts";
import {
  archive,
  docx,
  odt,
  relationships,
  wordParagraph,
  xlsx,
} from "@/tests/support/office_files.ts";
import { exists, isGoneWithin, testWorker } from "@/tests/support/worker.ts";
import { decodePassages } from "../../passage.ts";
import { DocumentParseError } from "../document_parse_error.ts";
import type { Job } from "./job_messages.ts";
import { WorkerPool, type WorkerPoolOptions } from "./worker_pool.ts";

const bytes = (text: string) => new TextEncoder().encode(text);
const read = (text: string): Job => ({
  kind: "document",
  bytes: bytes(text),
  type: "text/markdown",
});
const pdf = (content: Uint8Array<ArrayBuffer>): Job => {
  return { kind: "document", bytes: content, type: "application/pdf" };
};
const a = { tenant: "a" };

/** A pool that closes with its test, and its log. */
function openPool(options: Partial<WorkerPoolOptions> = {}) {
  const logged: string[] = [];
  const log = createLogger({ json: true, write: (line) => logged.push(line) });
  const pool = new WorkerPool({ command: testWorker(), log, ...options });
  return { pool, logged, [Symbol.asyncDispose]: () => pool.close() };
}

Deno.test("WorkerPool: parses documents in sequence in the same process", async () => {
  await using world = openPool();
  const { pool } = world;
  const pids = [];
  for (const word of ["one", "two"]) {
    const result = await pool.run(read(`# A\n\n${word}`), a);
    assert(result.kind === "document");
    const passages = result.chunks.flatMap((part) => decodePassages(part));
    assertEquals(passages, [{ headingPath: ["A"], text: word, tokens: 1 }]);
    pids.push(pool.pids);
  }
  assertEquals(pids[0]?.length, 1);
  assertEquals(pids[0], pids[1]);
});

Deno.test("WorkerPool: a process is not reused for another tenant", async () => {
  await using world = openPool();
  const { pool } = world;
  await pool.run(read("x"), a);
  const [first] = pool.pids;
  await pool.run(read("x"), { tenant: "b" });
  assertEquals(pool.pids.length, 1);
  assertNotEquals(pool.pids[0], first);
  assert(!await exists(first!));
});

Deno.test("WorkerPool: parses uploads, and reports why one is unreadable", async () => {
  await using world = openPool();
  const { pool } = world;
  const content = bytes('{"title":"T","content":"# ä"}');
  const job: Job = {
    kind: "upload",
    bytes: content,
    contentType: "application/json",
    several: false,
  };
  const upload = { title: "T", mediaType: "text/plain" as const, bytes: bytes("# ä") };
  assertEquals(await pool.run(job, a), { kind: "uploads", uploads: [upload] });
  assertEquals((await pool.run({ ...job, bytes: bytes("{") }, a)).kind, "invalid");
  assertEquals(await pool.run(read(" "), a), {
    kind: "unreadable",
    code: "no_text",
    message: "there is no text in it",
  });
});

Deno.test("WorkerPool: a timeout ends the process, and the next document is parsed", async () => {
  await using world = openPool({ jobTimeoutMs: 1_000 });
  const { pool } = world;
  await pool.run(read("warm"), a);
  const [pid] = pool.pids;
  const error = await assertRejects(() => pool.run(pdf(endlessPdf()), a), DocumentParseError);
  assertEquals([error.code, error.message], ["too_complex", "reading it took longer than 1 s"]);
  assert(!await exists(pid!));
  assertEquals((await pool.run(read("fine"), a)).kind, "document");
});

Deno.test("WorkerPool: the operating system kills a process that exceeds its memory", async () => {
  await using world = openPool({ command: testWorker({ memoryMiB: 96, heapMiB: 2_000 }) });
  const { pool } = world;
  for (const bomb of [pdf(await bombPdf(200)), read("*a*\n\n".repeat(300_000))]) {
    const error = await assertRejects(() => pool.run(bomb, a), DocumentParseError);
    assertEquals(error.code, "too_complex");
    assertEquals(pool.pids, []);
  }
  assertEquals((await pool.run(pdf(makePdf([[[11, "fine"]]])), a)).kind, "document");
});

Deno.test("WorkerPool: an abort ends the process without an error of the document", async () => {
  await using world = openPool();
  const { pool } = world;
  await pool.run(read("warm"), a);
  const [pid] = pool.pids;
  const stop = new AbortController();
  const running = pool.run(pdf(endlessPdf()), { ...a, signal: stop.signal });
  stop.abort(new Error("closing"));
  await assertRejects(() => running, Error, "closing");
  assert(!await exists(pid!));
  await assertRejects(() => pool.run(read("x"), { ...a, signal: stop.signal }), Error, "closing");
});

Deno.test("WorkerPool: an idle process that was killed is replaced", async () => {
  await using world = openPool();
  const { pool } = world;
  await pool.run(read("x"), a);
  const [pid] = pool.pids;
  Deno.kill(pid!, "SIGKILL");
  assertEquals((await pool.run(read("y"), a)).kind, "document");
  assertNotEquals(pool.pids[0], pid);
  assert(!await exists(pid!));
});

Deno.test("WorkerPool: closing and idle time end all processes", async () => {
  const { pool } = openPool();
  await Promise.all([1, 2].map(() => pool.run(read("x"), a)));
  const pids = pool.pids;
  assert(pids.length > 0);
  await pool.close();
  for (const pid of pids) assert(!await exists(pid));
  await using world = openPool({ idleMs: 1 });
  await world.pool.run(read("x"), a);
  const [pid] = world.pool.pids;
  assert(pid === undefined || await isGoneWithin(pid, 5_000));
});

Deno.test("WorkerPool: without processes, PDFs and large documents are rejected with a reason", async () => {
  for (const command of [undefined, { path: "/nothing/here" }]) {
    await using world = openPool({ command });
    const { pool, logged } = world;
    assertEquals((await pool.run(read("# fine"), a)).kind, "document");
    const reason = async (job: Job) =>
      (await assertRejects(() => pool.run(job, a), DocumentParseError)).message;
    assert(
      (await reason(pdf(endlessPdf()))).startsWith(
        "PDFs, spreadsheets, presentations and books cannot be read on this server",
      ),
    );
    assert((await reason(read("x".repeat(300_000)))).includes("more than 128 KiB"));
    assertEquals(pool.pids, []);
    assertEquals(logged.length, command === undefined ? 0 : 1);
  }
});

const WORD = "application/vnd.openxmlformats-officedocument.wordprocessingml.document";
const OPEN_DOCUMENT = "application/vnd.oasis.opendocument.text";
const SHEET = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";

Deno.test("WorkerPool: without processes, small Word documents and OpenDocument texts are read", async () => {
  await using world = openPool({ command: undefined });
  const { pool } = world;
  const textOf = async (
    content: Uint8Array<ArrayBuffer>,
    type: typeof WORD | typeof OPEN_DOCUMENT,
  ) => {
    const result = await pool.run({ kind: "document", bytes: content, type }, a);
    assert(result.kind === "document");
    return result.chunks.flatMap((part) => decodePassages(part)).map(({ text }) => text);
  };
  assertEquals(await textOf(docx(wordParagraph("Refunds take 14 days.")), WORD), [
    "Refunds take 14 days.",
  ]);
  assertEquals(await textOf(odt("<text:p>Open on Mondays.</text:p>"), OPEN_DOCUMENT), [
    "Open on Mondays.",
  ]);
  assertEquals(pool.pids, []);
});

Deno.test("WorkerPool: without processes, an archive is unpacked only up to a small size", async () => {
  await using world = openPool({ command: undefined });
  const { pool } = world;
  const codeOf = async (content: Uint8Array<ArrayBuffer>) => {
    assert(content.length < 128 * 1_024);
    const result = await pool.run({ kind: "document", bytes: content, type: WORD }, a);
    return "code" in result ? result.code : result.kind;
  };
  const large = wordParagraph("word ".repeat(220_000));
  assertEquals(await codeOf(docx(large)), "too_long");
  const half = wordParagraph("word ".repeat(110_000));
  assertEquals(await codeOf(docx(half, { "word/footnotes.xml": half })), "too_long");
  const entries = Array.from({ length: 600 }, (_, n) => [`x/${n}`, ""]);
  assertEquals(await codeOf(docx(wordParagraph("x"), Object.fromEntries(entries))), "too_complex");
  const notes = Array.from({ length: 30 }, (_, n) => [`f${n}`, ["footnotes", "/note.xml"]]);
  const repeated = archive({
    "_rels/.rels": relationships({ a: ["officeDocument", "d.xml"] }),
    "_rels/d.xml.rels": relationships(Object.fromEntries(notes)),
    "d.xml": wordParagraph("x"),
    "note.xml": wordParagraph("y"),
  });
  assertEquals(await codeOf(repeated), "too_complex");
});

Deno.test("WorkerPool: without processes, a spreadsheet is rejected by name", async () => {
  await using world = openPool({ command: undefined });
  const sheet: Job = { kind: "document", bytes: xlsx({ One: "<row/>" }), type: SHEET };
  const error = await assertRejects(() => world.pool.run(sheet, a), DocumentParseError);
  assertEquals(error.code, "unsupported_type");
  assert(error.message.startsWith("PDFs, spreadsheets, presentations and books cannot be read"));
});
