import { assertEquals } from "@std/assert";
import { createLogger } from "./log.ts";
import { LineWriter } from "./line_writer.ts";

const MODULE = new URL("./log.ts", import.meta.url).href;

/** An output that takes `room` bytes before it fails as `fault` says. */
function failing(fault: () => number) {
  let written = "";
  let room = 0;
  const output = new LineWriter((bytes) => {
    if (room === 0) return fault();
    const taken = bytes.subarray(0, room);
    room -= taken.length;
    written += new TextDecoder().decode(taken);
    return taken.length;
  });
  const write = (line: string) => output.write(`${line}\n`, (lost) => `lost ${lost}\n`);
  return { write, give: (bytes: number) => room = bytes, written: () => written };
}

const throwing = (error: Error) => () => {
  throw error;
};

for (
  const [name, fault] of [
    ["a pipe whose reader has gone", throwing(new Deno.errors.BrokenPipe())],
    ["a full disk", throwing(new Error("No space left on device (os error 28)"))],
    ["a full pipe", throwing(new Deno.errors.WouldBlock())],
    ["a sink that takes nothing", () => 0],
  ] as const
) {
  Deno.test(`LogOutput: ${name} throws nothing, and the next line tells how many were lost`, () => {
    const { write, give, written } = failing(fault);
    write("one");
    write("two");
    assertEquals(written(), "");
    give(1_000);
    write("three");
    write("four");
    assertEquals(written(), "lost 2\nthree\nfour\n");
  });
}

Deno.test("LineWriter: a line that was cut is ended before the next, or lost with none between", () => {
  const { write, give, written } = failing(throwing(new Deno.errors.WouldBlock()));
  give(2);
  write("first");
  assertEquals(written(), "fi");
  write("second");
  give(1);
  write("third");
  assertEquals(written(), "fir");
  give(1_000);
  write("fourth");
  assertEquals(written(), "first\nlost 2\nfourth\n");
});

Deno.test("LineWriter: what tells the loss may be cut as well, and is told once", () => {
  const { write, give, written } = failing(throwing(new Deno.errors.WouldBlock()));
  write("one");
  give(3);
  write("two");
  give(1_000);
  write("three");
  assertEquals(written(), "lost 1\ntwo\nthree\n");
});

Deno.test("LineWriter: a character that is cut in the middle comes whole", () => {
  const bytes: number[] = [];
  let room = 1;
  const output = new LineWriter((all) => {
    const taken = all.subarray(0, room);
    bytes.push(...taken);
    room -= taken.length;
    return taken.length;
  });
  output.write("é\n", () => "");
  room = 100;
  output.write("ü\n", () => "");
  assertEquals(new TextDecoder().decode(new Uint8Array(bytes)), "é\nü\n");
});

Deno.test("createLogger: lines that were lost are told as a warning in the log's own form", () => {
  const written: string[] = [];
  let full = true;
  const output = new LineWriter((bytes) => {
    if (full) throw new Deno.errors.BrokenPipe();
    written.push(new TextDecoder().decode(bytes));
    return bytes.length;
  });
  const log = createLogger({ write: output.write.bind(output), json: true, now: () => 0 });
  log.error("one");
  log.error("two");
  full = false;
  log.info("three");
  const lines = written.join("").trim().split("\n").map((line) => JSON.parse(line));
  assertEquals(lines.map(({ level, message, lost }) => [level, message, lost]), [
    ["warn", "log lines could not be written", 2],
    ["info", "three", undefined],
  ]);
});

Deno.test("createLogger: a process whose standard error nobody reads any more lives on", async () => {
  const program = `const { createLogger } = await import(${JSON.stringify(MODULE)});
    await new Response(Deno.stdin.readable).text();
    createLogger().error("to nobody");
    console.log("alive");`;
  const child = new Deno.Command(Deno.execPath(), {
    args: ["eval", program],
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  await child.stderr.cancel();
  await child.stdin.close();
  assertEquals(await new Response(child.stdout).text(), "alive\n");
  assertEquals((await child.status).code, 0);
});
