import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import { ProviderConnection, type ReadPace } from "./provider_connection.ts";

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** A connection to a listener in this process, what it receives, and the other end. */
async function connect(pace?: ReadPace) {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const accepted = listener.accept();
  const { port } = listener.addr as Deno.NetAddr;
  const connection = new ProviderConnection({ host: "127.0.0.1", port, secure: false }, pace);
  let received = "";
  let error: unknown = "open";
  let wake = () => {};
  connection.setListener({
    onBytes: (bytes) => {
      received += decoder.decode(bytes);
      wake();
    },
    onClosed: (cause) => {
      error = cause;
      wake();
    },
  });
  const peer = await accepted;
  await connection.opened;
  const until = async (isReached: () => boolean) => {
    while (!isReached()) await new Promise<void>((resolve) => wake = resolve);
  };
  return {
    connection,
    send: (text: string) => peer.write(encoder.encode(text)),
    /** Resolves when this text has been received. */
    receives: async (text: string) => {
      await until(() => received.length >= text.length);
      assertEquals(received, text);
    },
    closed: async () => {
      await until(() => error !== "open");
      return error;
    },
    received: () => received,
    peer,
    [Symbol.dispose]() {
      connection.close();
      try {
        peer.close();
      } catch {
        // The test has closed it.
      }
      listener.close();
    },
  };
}

Deno.test("ProviderConnection: sends in order and receives", async () => {
  using pair = await connect();
  pair.connection.write(encoder.encode("one "));
  pair.connection.write(encoder.encode("two"));
  const buffer = new Uint8Array(7);
  for (let read = 0; read < 7;) read += await pair.peer.read(buffer.subarray(read)) ?? 7;
  assertEquals(decoder.decode(buffer), "one two");
  await pair.send("three");
  await pair.receives("three");
});

Deno.test("ProviderConnection: a closed peer is noticed, also while nothing is awaited", async () => {
  using pair = await connect();
  pair.peer.close();
  assertEquals(await pair.closed(), undefined);
  assertEquals(pair.connection.isClosed, true);
  assertThrows(() => pair.connection.write(new Uint8Array(1)), Error, "not open");
});

Deno.test("ProviderConnection: a paused connection delivers only what was being read", async () => {
  using pair = await connect();
  pair.connection.pause();
  await pair.send("a");
  await pair.receives("a");
  await pair.send("b");
  assertEquals(pair.received(), "a");
  pair.connection.resume();
  await pair.receives("ab");
});

Deno.test("ProviderConnection: a refused connection rejects", async () => {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = listener.addr as Deno.NetAddr;
  listener.close();
  const connection = new ProviderConnection({ host: "127.0.0.1", port, secure: false });
  await assertRejects(() => connection.opened);
  connection.close();
});

Deno.test("ProviderConnection: one closed before it is open rejects and leaves no socket", async () => {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = listener.addr as Deno.NetAddr;
  const connection = new ProviderConnection({ host: "127.0.0.1", port, secure: false });
  connection.close();
  await assertRejects(() => connection.opened);
});

Deno.test("ProviderConnection: a slow stream is read in intervals from its second slow read", async () => {
  let now = 1;
  let waiting: (() => void) | undefined;
  let reachInterval = () => {};
  using pair = await connect({
    // Each look at the clock is 5 ms after the last, so every read was slow.
    now: () => now += 5,
    afterInterval: (callback) => {
      waiting = callback;
      reachInterval();
    },
  });
  pair.connection.isPaced = true;
  const reached = new Promise<void>((resolve) => reachInterval = resolve);
  // The read that began before is not measured.
  for (const text of ["a", "ab", "abc"]) {
    await pair.send(text.at(-1)!);
    await pair.receives(text);
  }
  await reached;
  await pair.send("d");
  await pair.send("e");
  assertEquals(pair.received(), "abc");
  waiting!();
  await pair.receives("abcde");
});

Deno.test("ProviderConnection: a fast stream is read at once", async () => {
  let intervals = 0;
  using pair = await connect({
    now: () => 1,
    afterInterval: (callback) => (intervals++, callback()),
  });
  pair.connection.isPaced = true;
  for (let n = 1; n <= 20; n++) {
    await pair.send("x");
    await pair.receives("x".repeat(n));
  }
  assertEquals(intervals, 0);
});
