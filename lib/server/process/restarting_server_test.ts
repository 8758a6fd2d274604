import { assert, assertEquals, assertThrows } from "@std/assert";
import { FakeRuntime } from "@/tests/support/fake_runtime.ts";
import { createLogger } from "../../platform/log.ts";
import { RestartingServer } from "./restarting_server.ts";

const ADDR = { transport: "tcp", hostname: "127.0.0.1", port: 4_000 } as const;

/** Fake servers that the test fails, and the addresses that they were started with. */
function listening() {
  const asked: (Deno.NetAddr | undefined)[] = [];
  const servers: { fail: (error: Error) => void; stopped: boolean; release: () => void }[] = [];
  const refusals: Error[] = [];
  const listen = (again?: Deno.NetAddr) => {
    asked.push(again);
    const refusal = refusals.shift();
    if (refusal) throw refusal;
    const finished = Promise.withResolvers<void>();
    const ended = Promise.withResolvers<void>();
    const server = { fail: finished.reject, stopped: false, release: ended.resolve };
    servers.push(server);
    const shutdown = () => {
      server.stopped = true;
      return ended.promise;
    };
    return { addr: ADDR, finished: finished.promise, shutdown } as Deno.HttpServer<Deno.NetAddr>;
  };
  return { asked, servers, refusals, listen };
}

function open() {
  const runtime = new FakeRuntime();
  const logged: string[] = [];
  const log = createLogger({ json: true, write: (line) => void logged.push(line) });
  const world = listening();
  const lasting = new RestartingServer(world.listen, { name: "the server", log, runtime });
  const levels = () => logged.map((line) => JSON.parse(line).level);
  return { ...world, lasting, runtime, levels };
}

Deno.test("RestartingServer: restarts a failed listener at the same address", async () => {
  const { lasting, servers, asked, runtime, levels } = open();
  servers[0]!.fail(new Deno.errors.Http("Too many open files"));
  await runtime.advance(99);
  assertEquals(asked, [undefined]);
  // Idle connections close; shutdown waits for the pending ones.
  assertEquals(servers[0]!.stopped, true);
  await runtime.advance(1);
  assertEquals(asked, [undefined, ADDR]);
  assertEquals(levels(), ["error", "warn"]);
  let ended = false;
  const ending = lasting.shutdown().then(() => ended = true);
  servers[1]!.release();
  await runtime.advance(0);
  assertEquals([servers[1]!.stopped, ended], [true, false]);
  servers[0]!.release();
  await ending;
});

Deno.test("RestartingServer: the backoff grows to 5 s and resets after a stable period", async () => {
  const { servers, refusals, asked, runtime } = open();
  refusals.push(...Array.from({ length: 8 }, () => new Deno.errors.AddrInUse()));
  servers[0]!.fail(new Error("Too many open files"));
  for (const pause of [100, 200, 400, 800, 1_600, 3_200, 5_000, 5_000, 5_000]) {
    const before = asked.length;
    await runtime.advance(pause - 1);
    assertEquals(asked.length, before);
    await runtime.advance(1);
    assertEquals(asked.length, before + 1);
  }
  assertEquals(servers.length, 2);
  await runtime.advance(4_999);
  servers[1]!.fail(new Error("Too many open files"));
  await runtime.advance(4_999);
  assertEquals(servers.length, 2);
  await runtime.advance(1);
  assertEquals(servers.length, 3);
  await runtime.advance(5_000);
  servers[2]!.fail(new Error("Too many open files"));
  await runtime.advance(100);
  assertEquals(servers.length, 4);
});

Deno.test("RestartingServer: does not restart after shutdown", async () => {
  for (const failsFirst of [true, false]) {
    const { lasting, servers, asked, runtime } = open();
    if (failsFirst) servers[0]!.fail(new Error("Too many open files"));
    await runtime.advance(50);
    servers[0]!.release();
    await lasting.shutdown();
    servers[0]!.fail(new Error("Too many open files"));
    await runtime.advance(60_000);
    assertEquals([asked.length, runtime.sleeping], [1, 0]);
  }
});

Deno.test("RestartingServer: rethrows the error of the first listen", () => {
  const { listen, refusals } = listening();
  refusals.push(new Deno.errors.AddrInUse("in use"));
  const parts = { name: "the server", log: createLogger(), runtime: new FakeRuntime() };
  assertThrows(() => new RestartingServer(listen, parts), Deno.errors.AddrInUse);
});

const PROGRAM = `
  const { RestartingServer } = await import(${JSON.stringify(module("./restarting_server.ts"))});
  const { createLogger } = await import(${JSON.stringify(module("../../platform/log.ts"))});
  const { systemRuntime: runtime } = await import(${
  JSON.stringify(module("../../platform/runtime.ts"))
});
  const { readable, writable } = new TransformStream();
  const handle = (request) => new Response(request.url.endsWith("/stream") ? readable : "ok");
  const options = { port: 0, hostname: "127.0.0.1", onListen: () => {} };
  const listen = (again) => Deno.serve({ ...options, ...again }, handle);
  const server = new RestartingServer(listen, { name: "it", log: createLogger(), runtime });
  console.log(server.addr.port);
  const writer = writable.getWriter();
  await writer.write(new TextEncoder().encode("one "));
  await Deno.stdin.read(new Uint8Array(1));
  await writer.write(new TextEncoder().encode("two"));
  await writer.close();
  await server.shutdown();`;

function module(path: string): string {
  return new URL(path, import.meta.url).href;
}

/** Collects the text of a stream; `until` returns all of it once it matches. */
function listenTo(stream: ReadableStream<Uint8Array<ArrayBuffer>>) {
  const reader = stream.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  const until = async (mark: RegExp) => {
    while (!mark.test(text)) {
      const { value, done } = await reader.read();
      if (done) throw new Error(`the stream ended: ${text}`);
      text += value;
    }
    return text;
  };
  return { until, cancel: () => reader.cancel() };
}

Deno.test({
  name: "RestartingServer: streams continue in a process without free file descriptors",
  ignore: Deno.build.os !== "linux",
  fn: async () => {
    const child = new Deno.Command("sh", {
      args: ["-c", 'ulimit -n 64; exec "$0" eval "$1"', Deno.execPath(), PROGRAM],
      stdin: "piped",
      stdout: "piped",
      stderr: "piped",
    }).spawn();
    const printed = listenTo(child.stdout);
    const logged = listenTo(child.stderr);
    const port = Number(await printed.until(/\n/));
    const stream = await fetch(`http://127.0.0.1:${port}/stream`);
    const words = listenTo(stream.body!);
    assertEquals(await words.until(/one /), "one ");
    const connections: Deno.Conn[] = [];
    let isFull = false;
    const failed = logged.until(/restarting the listener"/).finally(() => isFull = true);
    const take = () => Deno.connect({ hostname: "127.0.0.1", port });
    for (let taken = 0; taken < 64 && !isFull; taken++) {
      const connection = await take().catch(() => undefined);
      if (connection === undefined) break;
      connections.push(connection);
    }
    assert((await failed).includes("Too many open files"));
    for (const connection of connections) connection.close();
    await logged.until(/the listener has restarted"/);
    assertEquals(await (await fetch(`http://127.0.0.1:${port}/`)).text(), "ok");
    await child.stdin.close();
    assertEquals(await words.until(/two/), "one two");
    assertEquals((await child.status).code, 0);
    await Promise.all([printed.cancel(), logged.cancel(), words.cancel()]);
  },
});
