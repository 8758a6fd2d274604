import { assertEquals } from "@std/assert";
import { FakeRuntime } from "@/tests/support/fake_runtime.ts";
import { createLogger } from "../../platform/log.ts";
import { shutDown } from "./shut_down.ts";

type Ended = Parameters<typeof shutDown>[0]["service"];

/** A service with `active` runs that has `left` of them once it has drained, if it ever does. */
function ending({ active = 0, left = 0, drains = true, onDeploy = false, drainSeconds = 0 } = {}) {
  const calls: string[] = [];
  const errors: string[] = [];
  const runtime = new FakeRuntime();
  const drained = Promise.withResolvers<void>();
  let runs = active;
  const service = {
    config: { onDenoDeploy: onDeploy, drainSeconds },
    announceStop: () => void calls.push("not ready"),
    runtime,
    log: createLogger({ json: true, write: (line) => void errors.push(JSON.parse(line).message) }),
    chat: {
      get active() {
        return Array(runs).fill({});
      },
    },
    drain: (graceMs: number) => {
      calls.push(`drain ${graceMs}`);
      runs = left;
      return drains ? Promise.resolve() : drained.promise;
    },
    close: () => void calls.push("close"),
  } as unknown as Ended;
  const server = { shutdown: () => Promise.resolve(void calls.push("server")) };
  const exit = (code: number) => void calls.push(`exit ${code}`);
  return { calls, errors, runtime, options: { service, server, exit }, drained: drained.resolve };
}

Deno.test("shutDown: drains, closes the server, then the service, and exits with 0", async () => {
  const { calls, errors, options } = ending();
  await shutDown(options);
  assertEquals(calls, ["not ready", "drain 3000", "server", "close", "exit 0"]);
  assertEquals(errors, []);
});

Deno.test("shutDown: many runs are stopped earlier, because settling takes time", async () => {
  for (const [active, graceMs] of [[1, 2_998], [1_000, 1_000], [1_500, 0], [4_000, 0]] as const) {
    const { calls, options } = ending({ active });
    await shutDown(options);
    assertEquals(calls[1], `drain ${graceMs}`);
  }
});

Deno.test("shutDown: serves on while /readyz is red, and closes the listener before the runs end", async () => {
  const { calls, errors, options, runtime, drained } = ending({ drains: false, drainSeconds: 10 });
  const ended = shutDown(options);
  await runtime.advance(9_999);
  assertEquals(calls, ["not ready"]);
  await runtime.advance(1);
  assertEquals(calls, ["not ready", "server", "drain 3000"]);
  // The deadline begins now.
  await runtime.advance(8_999);
  assertEquals(calls.length, 3);
  drained();
  await ended;
  assertEquals(calls.slice(3), ["close", "exit 0"]);
  assertEquals(errors, ["stopping: requests are accepted for 10 s more"]);
});

Deno.test("shutDown: reports unsettled runs at the deadline and exits with 1", async () => {
  for (const [onDeploy, lastMs] of [[false, 9_000], [true, 4_500]] as const) {
    const { calls, errors, options, runtime } = ending({
      active: 7,
      left: 3,
      drains: false,
      onDeploy,
    });
    void shutDown(options);
    await runtime.advance(lastMs - 1);
    assertEquals(calls, ["not ready", "drain 2986"]);
    await runtime.advance(1);
    assertEquals(calls, ["not ready", "drain 2986", "exit 1"]);
    assertEquals(errors, ["ended with 3 runs unsettled"]);
  }
});

Deno.test("shutDown: disconnects a slow reader and exits with 0", async () => {
  const { calls, options, runtime } = ending();
  const server = { shutdown: () => new Promise<never>(() => {}) };
  void shutDown({ ...options, server });
  await runtime.advance(9_000);
  assertEquals(calls, ["not ready", "drain 3000", "exit 0"]);
});

Deno.test("shutDown: drains runs while the control socket waits for its commands", async () => {
  const { calls, options, runtime, drained } = ending({ drains: false });
  const closed = Promise.withResolvers<void>();
  const ended = shutDown({ ...options, control: { close: () => closed.promise } });
  assertEquals(calls, ["not ready", "drain 3000"]);
  drained();
  await runtime.advance(0);
  assertEquals(calls, ["not ready", "drain 3000"]);
  closed.resolve();
  await ended;
  assertEquals(calls.at(-1), "exit 0");
});

Deno.test({
  name: "waitForStopSignal: resolves for SIGHUP, SIGTERM and SIGINT",
  ignore: Deno.build.os === "windows",
  fn: async () => {
    const module = new URL("./shut_down.ts", import.meta.url).href;
    const program = `const { waitForStopSignal } = await import(${JSON.stringify(module)});
      const stopped = waitForStopSignal();
      console.log("ready");
      await stopped;
      console.log("stopped");
      Deno.exit(0);`;
    for (const signal of ["SIGHUP", "SIGTERM", "SIGINT"] as const) {
      const args = ["eval", program];
      const child = new Deno.Command(Deno.execPath(), { args, stdout: "piped" }).spawn();
      const calls = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
      assertEquals((await calls.read()).value, "ready\n");
      child.kill(signal);
      assertEquals((await calls.read()).value, "stopped\n");
      assertEquals((await child.status).code, 0);
      await calls.cancel();
    }
  },
});
