import { assertEquals } from "@std/assert";
import { FakeRuntime } from "@/tests/support/fake_runtime.ts";
import { createLogger } from "../../platform/log.ts";
import { Supervisor } from "./supervisor.ts";

/** A supervisor of fake processes, which the test ends. */
function supervising(count: number, { drainMs = 0 } = {}) {
  const runtime = new FakeRuntime();
  const events: string[] = [];
  const errors: string[] = [];
  const ready = Promise.withResolvers<void>();
  const stopped = Promise.withResolvers<void>();
  const running = new Map<number, (code: number, signal: Deno.Signal | null) => void>();
  const start = ({ number, isFirst }: { number: number; isFirst: boolean }) => {
    events.push(`start ${number}${isFirst ? " first" : ""}`);
    const ended = Promise.withResolvers<Pick<Deno.CommandStatus, "success" | "code" | "signal">>();
    running.set(number, (code, signal) => ended.resolve({ success: code === 0, code, signal }));
    const kill = (signal: Deno.Signal) => void events.push(`${signal} ${number}`);
    return { status: ended.promise, kill };
  };
  const log = createLogger({
    json: true,
    write: (line) => void errors.push(JSON.parse(line).message),
  });
  const supervisor = new Supervisor({ count, start, ready: ready.promise, drainMs, log, runtime });
  const exit = supervisor.run(stopped.promise);
  return {
    ...{ runtime, errors, exit },
    ready: () => ready.resolve(),
    stop: () => stopped.resolve(),
    end: (number: number, code: number, signal: Deno.Signal | null = null) =>
      running.get(number)!(code, signal),
    /** What happened since the last call, once everything has settled. */
    async take() {
      await runtime.advance(0);
      return events.splice(0);
    },
  };
}

Deno.test("Supervisor: the first process runs alone until it is ready", async () => {
  const { take, ready } = supervising(3);
  assertEquals(await take(), ["start 1 first"]);
  ready();
  assertEquals(await take(), ["start 2", "start 3"]);
});

Deno.test("Supervisor: ends with the exit code of a first process that cannot start", async () => {
  for (const [code, exitCode] of [[3, 3], [0, 1]] as const) {
    const { exit, end, take } = supervising(2);
    await take();
    end(1, code);
    assertEquals(await exit, exitCode);
    assertEquals(await take(), []);
  }
});

Deno.test("Supervisor: replaces a process that ended; the delay grows to 5 s and resets", async () => {
  const { runtime, end, take, ready, errors } = supervising(2);
  ready();
  await take();
  for (const delay of [100, 200, 400, 800, 1_600, 3_200, 5_000, 5_000]) {
    end(1, 1);
    await runtime.advance(delay - 1);
    assertEquals(await take(), []);
    await runtime.advance(1);
    assertEquals(await take(), ["start 1"]);
  }
  await runtime.advance(5_000);
  end(1, 1);
  await runtime.advance(100);
  assertEquals(await take(), ["start 1"]);
  assertEquals(new Set(errors), new Set(["a server process ended; starting another"]));
});

Deno.test("Supervisor: forwards the stop signal, waits for all processes and replaces none", async () => {
  const { exit, stop, end, take, ready, runtime } = supervising(2);
  ready();
  await take();
  stop();
  assertEquals(await take(), ["SIGTERM 1", "SIGTERM 2"]);
  end(1, 0);
  assertEquals(await take(), []);
  end(2, 0);
  assertEquals(await exit, 0);
  await runtime.advance(60_000);
  assertEquals(await take(), []);
});

Deno.test("Supervisor: exits with 1 if a process failed to stop cleanly", async () => {
  const { exit, stop, end, take, ready } = supervising(2);
  ready();
  await take();
  stop();
  await take();
  end(1, 0);
  end(2, 1);
  assertEquals(await exit, 1);
});

Deno.test("Supervisor: a process that the stop signal ends while it starts is no failure", async () => {
  const { exit, stop, end, take, ready } = supervising(3);
  ready();
  await take();
  stop();
  await take();
  end(1, 0);
  end(2, 143, "SIGTERM");
  end(3, 130, "SIGINT");
  assertEquals(await exit, 0);
});

Deno.test("Supervisor: kills processes that do not end within 9.5 s", async () => {
  const { exit, stop, end, take, ready, runtime } = supervising(2);
  ready();
  await take();
  stop();
  await take();
  end(1, 0);
  await runtime.advance(9_499);
  assertEquals(await take(), []);
  await runtime.advance(1);
  assertEquals(await take(), ["SIGKILL 2"]);
  end(2, 137, "SIGKILL");
  assertEquals(await exit, 1);
});

Deno.test("Supervisor: kills processes only after the time in which they accept requests", async () => {
  const { exit, stop, end, take, ready, runtime } = supervising(1, { drainMs: 5_000 });
  ready();
  await take();
  stop();
  await take();
  await runtime.advance(14_499);
  assertEquals(await take(), []);
  await runtime.advance(1);
  assertEquals(await take(), ["SIGKILL 1"]);
  end(1, 137, "SIGKILL");
  assertEquals(await exit, 1);
});

Deno.test("Supervisor: a stop signal before the first process is ready stops it", async () => {
  const { exit, stop, end, take } = supervising(2);
  stop();
  assertEquals(await take(), ["start 1 first", "SIGTERM 1"]);
  end(1, 0);
  assertEquals(await exit, 0);
  assertEquals(await take(), []);
});

Deno.test("Supervisor: a stop signal during a delay starts no process", async () => {
  const { exit, stop, end, take, ready, runtime } = supervising(1);
  ready();
  await take();
  end(1, 1);
  await take();
  stop();
  assertEquals(await exit, 0);
  await runtime.advance(60_000);
  assertEquals(await take(), []);
});
