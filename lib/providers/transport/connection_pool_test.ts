import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import { ConnectionPool } from "./connection_pool.ts";

const text = (bytes: Uint8Array) => new TextDecoder("latin1").decode(bytes);

Deno.test("ConnectionPool.encode: a POST with its body, and a GET", () => {
  const pool = new ConnectionPool("https://[::1]:8443/base/");
  const body = new TextEncoder().encode("{}");
  assertEquals(
    text(pool.encode({ path: "/v1?a=b", headers: { "x-api-key": "é" }, body })),
    "POST /base/v1?a=b HTTP/1.1\r\nhost: [::1]:8443\r\nx-api-key: é\r\n" +
      "content-type: application/json\r\ncontent-length: 2\r\naccept: text/event-stream\r\n" +
      "accept-encoding: identity\r\n\r\n{}",
  );
  assertEquals(
    text(pool.encode({ path: "/models", headers: {}, accept: "application/json" })),
    "GET /base/models HTTP/1.1\r\nhost: [::1]:8443\r\naccept: application/json\r\n" +
      "accept-encoding: identity\r\n\r\n",
  );
});

Deno.test("ConnectionPool.encode: rejects what could end a header or the path", () => {
  const pool = new ConnectionPool("http://127.0.0.1");
  const headers = [{ a: "b\r\nc: d" }, { a: "b\0" }, { a: "\u{1f600}" }, { "a b": "c" }, {
    "": "c",
  }];
  for (const wrong of headers) {
    assertThrows(() => pool.encode({ path: "/", headers: wrong }), TypeError, "header");
  }
  for (const path of ["/a b", "/a\r\nhost: b", "/é"]) {
    assertThrows(() => pool.encode({ path, headers: {} }), TypeError, "path");
  }
});

/** A pool of connections to a listener in this process, which accepts and keeps them. */
function open() {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const peers: Deno.Conn[] = [];
  const pool = new ConnectionPool(`http://127.0.0.1:${(listener.addr as Deno.NetAddr).port}`);
  const take = async () => {
    const { connection, isReused } = pool.take();
    if (isReused) return { connection, isReused };
    peers.push(await listener.accept());
    await connection.opened;
    return { connection, isReused };
  };
  return {
    pool,
    take,
    peers,
    [Symbol.dispose]() {
      pool.close();
      for (const peer of peers) {
        try {
          peer.close();
        } catch {
          // The test has closed it.
        }
      }
      listener.close();
    },
  };
}

Deno.test("ConnectionPool: the connection that was used last is used again", async () => {
  using server = open();
  const { pool, take } = server;
  const [first, second] = [await take(), await take()];
  pool.keep(first.connection);
  pool.keep(second.connection);
  assertEquals(await take(), { connection: second.connection, isReused: true });
  assertEquals(await take(), { connection: first.connection, isReused: true });
  assertEquals((await take()).isReused, false);
});

Deno.test("ConnectionPool: an idle connection that the provider closes or writes to is not used again", async () => {
  using server = open();
  const { pool, take, peers } = server;
  const [closed, spoken] = [await take(), await take()];
  pool.keep(closed.connection);
  pool.keep(spoken.connection);
  peers[0]!.close();
  await peers[1]!.write(new Uint8Array(1));
  const buffer = new Uint8Array(1);
  await peers[1]!.read(buffer).catch(() => null);
  while (!closed.connection.isClosed || !spoken.connection.isClosed) await takeTurn();
  assertEquals((await take()).isReused, false);
});

Deno.test("ConnectionPool: retire closes idle connections, and the others once they are idle", async () => {
  using server = open();
  const { pool, take } = server;
  const [idle, busy] = [await take(), await take()];
  pool.keep(idle.connection);
  pool.retire();
  assertEquals([idle.connection.isClosed, busy.connection.isClosed], [true, false]);
  pool.keep(busy.connection);
  assertEquals(busy.connection.isClosed, true);
});

Deno.test("ConnectionPool: close ends connections in use and calls their listeners", async () => {
  using server = open();
  const { pool, take } = server;
  const { connection } = await take();
  const closed = Promise.withResolvers<unknown>();
  connection.setListener({ onBytes: () => {}, onClosed: closed.resolve });
  pool.close();
  assert(await closed.promise instanceof Error);
  assertThrows(() => connection.write(new Uint8Array(1)));
});

Deno.test("ConnectionPool: close ends a connection that is not open yet", async () => {
  using server = open();
  const { connection } = server.pool.take();
  server.pool.close();
  await assertRejects(() => connection.opened);
});

/** One turn of the event loop, so that sockets are read. */
function takeTurn(): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const channel = new MessageChannel();
  channel.port1.onmessage = () => {
    channel.port1.close();
    resolve();
  };
  channel.port2.postMessage(null);
  return promise;
}
