import { assertEquals } from "@std/assert";
import { createLogger } from "./log.ts";
import { LineWriter } from "./line_writer.ts";

const MODULE = new URL("./log.ts", import.meta.url).href;

/** A writer that accepts `capacity` bytes and then fails with `fail`. */
function failing(fail: () => number) {
  let written = "";
  let capacity = 0;
  const output = new LineWriter((bytes) => {
    if (capacity === 0) return fail();
    const taken = bytes.subarray(0, capacity);
    capacity -= taken.length;
    written += new TextDecoder().decode(taken);
    return taken.length;
  });
  const write = (line: string) => output.write(`${line}\n`, (dropped) => `dropped ${dropped}\n`);
  return { write, accept: (bytes: number) => capacity = bytes, written: () => written };
}

const throwing = (error: Error) => () => {
  throw error;
};

for (
  const [name, fail] of [
    ["a closed pipe", throwing(new Deno.errors.BrokenPipe())],
    ["a full disk", throwing(new Error("No space left on device (os error 28)"))],
    ["a full pipe", throwing(new Deno.errors.WouldBlock())],
    ["an output that accepts nothing", () => 0],
  ] as const
) {
  Deno.test(`LineWriter: ${name} does not throw, and the next line reports dropped lines`, () => {
    const { write, accept, written } = failing(fail);
    write("one");
    write("two");
    assertEquals(written(), "");
    accept(1_000);
    write("three");
    write("four");
    assertEquals(written(), "dropped 2\nthree\nfour\n");
  });
}

Deno.test("LineWriter: a partially written line is completed before the next", () => {
  const { write, accept, written } = failing(throwing(new Deno.errors.WouldBlock()));
  accept(2);
  write("first");
  assertEquals(written(), "fi");
  write("second");
  accept(1);
  write("third");
  assertEquals(written(), "fir");
  accept(1_000);
  write("fourth");
  assertEquals(written(), "first\ndropped 2\nfourth\n");
});

Deno.test("LineWriter: a partially written report of dropped lines is completed, not repeated", () => {
  const { write, accept, written } = failing(throwing(new Deno.errors.WouldBlock()));
  write("one");
  accept(3);
  write("two");
  accept(1_000);
  write("three");
  assertEquals(written(), "dropped 1\ntwo\nthree\n");
});

Deno.test("LineWriter: a character split between writes stays whole", () => {
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

Deno.test("createLogger: reports dropped lines as a warning", () => {
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

Deno.test("createLogger: a process survives when its standard error is closed", async () => {
  const program = `const { createLogger } = await import(${JSON.stringify(MODULE)});
    await new Response(Deno.stdin.readable).text();
    createLogger().error("unread");
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
