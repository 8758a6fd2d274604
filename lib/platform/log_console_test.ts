import { assertEquals } from "@std/assert";
import { OtelCollector } from "@/tests/support/otel_collector.ts";
import { isConsoleCollected } from "./log_console.ts";

const LOG = new URL("./log.ts", import.meta.url).href;
const CONSOLE = new URL("./log_console.ts", import.meta.url).href;
const KEY = "ck_live_Ab12Cd34_0123456789abcdefghijABCDEFGHIJ01";

Deno.test("isConsoleCollected: true on Deno Deploy and with Deno's OpenTelemetry", () => {
  const collected = [{ DENO_DEPLOY: "true" }, { OTEL_DENO: "true" }, { OTEL_DENO: "1" }];
  for (const env of collected) assertEquals(isConsoleCollected(env), true);
  const not = [{}, { DENO_DEPLOY: " " }, { OTEL_DENO: "" }, { OTEL_DENO: "false" }];
  for (const env of not) assertEquals(isConsoleCollected(env), false);
});

/** Runs statements with a debug logger named `log`. Returns its output. */
async function logging(statements: string, env: Record<string, string> = {}) {
  const program = `const { createLogger } = await import(${JSON.stringify(LOG)});
    const { writeToConsole } = await import(${JSON.stringify(CONSOLE)});
    const log = createLogger({ level: "debug", json: true, write: writeToConsole, now: () => 0 });
    ${statements}`;
  const { stdout, stderr, code } = await new Deno.Command(Deno.execPath(), {
    args: ["eval", program],
    env: { NO_COLOR: "1", ...env },
  }).output();
  assertEquals(code, 0);
  const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
  return text(stdout) + text(stderr);
}

Deno.test("writeToConsole: OpenTelemetry gets each record with its severity and without secrets", async () => {
  await using collector = new OtelCollector();
  await logging(
    `log.debug("a", { note: "100%d %c %o" });
     log.info("b");
     log.warn("c ${KEY}");
     log.error("d", { error: new Error("bad ${KEY}") });
     Deno.exit(0);`,
    collector.env,
  );
  const got = collector.records.map(({ severityText, body }) => {
    const { level, message, note } = JSON.parse(body.stringValue);
    return [severityText, level, message, note];
  });
  assertEquals(got, [
    ["DEBUG", "debug", "a", "100%d %c %o"],
    ["INFO", "info", "b", undefined],
    ["WARN", "warn", "c ck_live_Ab12Cd34_[secret]", undefined],
    ["ERROR", "error", "d", undefined],
  ]);
  assertEquals(JSON.stringify(collector.records).includes(KEY.slice(17)), false);
});

Deno.test("writeToConsole: writes one line of JSON for any content", async () => {
  const written = await logging(
    `log.info("two\\nlines", { note: "100%d %c", more: "\\u001b[2J" });`,
  );
  const [line, ...rest] = written.split("\n");
  assertEquals(rest, [""]);
  assertEquals(JSON.parse(line!), {
    time: "1970-01-01T00:00:00.000Z",
    level: "info",
    message: "two\nlines",
    note: "100%d %c",
    more: "\u001b[2J",
  });
});

Deno.test("writeToConsole: a process survives when its output is closed", async () => {
  const program = `const { writeToConsole } = await import(${JSON.stringify(CONSOLE)});
    await new Response(Deno.stdin.readable).text();
    for (const level of ["debug", "info", "warn", "error"]) writeToConsole("unread", null, level);
    Deno.exit(7);`;
  const child = new Deno.Command(Deno.execPath(), {
    args: ["eval", program],
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  await child.stdout.cancel();
  await child.stderr.cancel();
  await child.stdin.close();
  assertEquals((await child.status).code, 7);
});
