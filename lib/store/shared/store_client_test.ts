/** A store over a socket behaves as a store of this process: each test runs on both. */
import { assert, assertEquals, assertInstanceOf, assertRejects, assertThrows } from "@std/assert";
import { ServedStore } from "@/tests/support/served_store.ts";
import { serialize } from "node:v8";
import { MAX_FRAME_BYTES } from "./message_channel.ts";
import { overrideKv } from "../kv/override_kv.ts";
import { openSharedStore } from "./store_client.ts";

/** What a call returns or throws, without what differs between two stores. */
async function outcome(call: () => unknown): Promise<unknown> {
  try {
    return withoutStamps(await call());
  } catch (error) {
    assertInstanceOf(error, Error);
    return { class: error.constructor.name, name: error.name, message: error.message };
  }
}

/** Replaces versionstamps, which count the reads of a store too. */
function withoutStamps(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutStamps);
  if (typeof value !== "object" || value === null) return value;
  if (!("versionstamp" in value)) return value;
  return { ...value, versionstamp: typeof value.versionstamp };
}

/** Makes the same calls on a store of this process and over a socket, and compares every outcome. */
async function same(
  calls: readonly ((kv: Deno.Kv) => unknown)[],
  setUp: (kv: Deno.Kv) => Promise<unknown> = () => Promise.resolve(),
): Promise<unknown[]> {
  using native = await Deno.openKv(":memory:");
  using owner = await Deno.openKv(":memory:");
  await using served = await ServedStore.open(owner);
  using shared = await served.connect();
  const outcomes: unknown[] = [];
  await setUp(native);
  await setUp(shared);
  for (const call of calls) {
    const expected = await outcome(() => call(native));
    assertEquals(await outcome(() => call(shared)), expected, String(call));
    outcomes.push(expected);
  }
  return outcomes;
}

const VALUES: unknown[] = [
  ...[undefined, null, true, 0, -1.5, NaN, "", "ä", 12n, new Date(5), /a/g],
  ...[[1, , 3], { a: { b: [] } }, new Map([[1, { x: 2 }]]), new Set(["s"])],
  ...[new Uint8Array(), new Uint8Array([1, 2, 3]).subarray(1), new Uint16Array([1, 258])],
  ...[new Float64Array([0.5]), new ArrayBuffer(3), new Deno.KvU64(2n ** 64n - 1n)],
];

Deno.test("openSharedStore: every kind of value reads as it was written", async () => {
  const calls = VALUES.flatMap((value, n) => [
    (kv: Deno.Kv) => kv.set(["v", n], value),
    (kv: Deno.Kv) => kv.get(["v", n]),
  ]);
  const outcomes = await same(calls);
  assertEquals(outcomes.length, 2 * VALUES.length);
  assertEquals((outcomes.at(-1) as Deno.KvEntry<unknown>).value, new Deno.KvU64(2n ** 64n - 1n));
});

Deno.test("openSharedStore: bytes that are read do not refer to other bytes", async () => {
  using kv = await Deno.openKv(":memory:");
  await using served = await ServedStore.open(kv);
  using shared = await served.connect();
  await shared.set(["a"], new Uint8Array([1, 2]));
  const { value } = await shared.get<Uint8Array>(["a"]);
  assertEquals([value!.byteOffset, value!.buffer.byteLength], [0, 2]);
});

Deno.test("openSharedStore: keys of every kind, missing entries and reads of several keys", async () => {
  await same([
    (kv) => kv.set(["a", 1, 2n, true, new Uint8Array([7])], "all kinds"),
    (kv) => kv.get(["a", 1, 2n, true, new Uint8Array([7])]),
    (kv) => kv.get(["a", 1, 2n, false, new Uint8Array([7])]),
    (kv) => kv.getMany([["none"], ["a", 1, 2n, true, new Uint8Array([7])]]),
    (kv) => kv.getMany([]),
    (kv) => kv.get(["none"], { consistency: "eventual" }),
    (kv) => kv.getMany([["none"]], { consistency: "strong" }),
    (kv) => kv.delete(["a", 1, 2n, true, new Uint8Array([7])]),
    (kv) => kv.get(["a", 1, 2n, true, new Uint8Array([7])]),
    (kv) => kv.delete(["none"]),
  ]);
});

const never = () => {};

Deno.test("openSharedStore: invalid calls fail with the same class and message", async () => {
  const outcomes = await same([
    (kv) => kv.set(["a"], never),
    (kv) => kv.set(["a"], { a: Symbol("s") }),
    (kv) => kv.set([], 1),
    (kv) => kv.set(["a"], new Uint8Array(70_000)),
    (kv) => kv.set(["a"], "x".repeat(70_000)),
    (kv) => kv.set(["a"], 1, { expireIn: -1 }),
    (kv) => kv.set(["a"], 1, { expireIn: 1.5 }),
    (kv) => kv.set([{} as string], 1),
    (kv) => kv.delete([]),
    (kv) => kv.get([{} as string]),
    (kv) => kv.get("a" as unknown as Deno.KvKey),
    (kv) => kv.get(["x".repeat(3_000)]),
    (kv) => kv.get(["a"], { consistency: "weak" as Deno.KvConsistencyLevel }),
    (kv) => kv.getMany(Array(11).fill(["a"])),
    (kv) => kv.list({} as Deno.KvListSelector),
    (kv) => kv.list({ prefix: [], start: ["a"], end: ["b"] } as unknown as Deno.KvListSelector),
    (kv) => kv.list({ prefix: [] }, { limit: 0 }),
    (kv) => kv.list({ prefix: [] }, { batchSize: -1 }),
    (kv) => kv.list({ prefix: [] }).cursor,
    (kv) => kv.list({ prefix: [] }, { cursor: "%" }).next(),
    (kv) => kv.list({ start: ["b"], end: ["a"] }).next(),
    (kv) => kv.list({ prefix: ["a"], start: ["b"] }).next(),
    (kv) => kv.atomic().set(["a"], never),
    (kv) => kv.atomic().set(["a"], 1, { expireIn: -1 }),
    (kv) => kv.atomic().sum(["a"], 1 as unknown as bigint),
    (kv) => kv.atomic().sum(["a"], -1n),
    (kv) => kv.atomic().mutate({ type: "zap" } as unknown as Deno.KvMutation),
    (kv) => kv.atomic().mutate({ type: "set", key: ["a"] } as unknown as Deno.KvMutation),
    (kv) =>
      kv.atomic().mutate({ type: "delete", key: ["a"], value: 1 } as unknown as Deno.KvMutation),
    (kv) => kv.atomic().check({ key: ["a"], versionstamp: "zz" }).commit(),
    (kv) => kv.atomic().set(["s"], "text").sum(["s"], 1n).commit(),
    (kv) => {
      const atomic = kv.atomic();
      for (let n = 0; n < 101; n++) atomic.check({ key: [n], versionstamp: null });
      return atomic.commit();
    },
    (kv) => {
      const atomic = kv.atomic();
      for (let n = 0; n < 20; n++) atomic.set([n], new Uint8Array(60_000));
      return atomic.commit();
    },
    (kv) => kv.watch(Array(11).fill(["a"])),
  ]);
  for (const failure of outcomes) assert(typeof (failure as Error).message === "string");
});

Deno.test("openSharedStore: atomic operations check, set, delete, sum, min and max", async () => {
  const commit = async (kv: Deno.Kv, build: (atomic: Deno.AtomicOperation) => unknown) => {
    const atomic = kv.atomic();
    assertEquals(build(atomic), atomic);
    return await atomic.commit();
  };
  await same([
    (kv) => commit(kv, (op) => op.check({ key: ["a"], versionstamp: null }).set(["a"], 1)),
    (kv) => commit(kv, (op) => op.check({ key: ["a"], versionstamp: null }).set(["a"], 2)),
    (kv) => kv.get(["a"]),
    (kv) => commit(kv, (op) => op.sum(["n"], 5n).max(["m"], 9n).min(["l"], 3n)),
    (kv) => commit(kv, (op) => op.sum(["n"], 5n).max(["m"], 2n).min(["l"], 8n)),
    (kv) => kv.getMany([["n"], ["m"], ["l"]]),
    (kv) =>
      commit(kv, (op) =>
        op.mutate(
          { type: "set", key: ["x"], value: "y" },
          { type: "delete", key: ["a"] },
          { type: "sum", key: ["n"], value: new Deno.KvU64(2n ** 64n - 1n) },
        )),
    (kv) => kv.getMany([["x"], ["a"], ["n"]]),
    (kv) => commit(kv, (op) => op),
    async (kv) => {
      const entry = await kv.get(["x"]);
      return await commit(kv, (op) => op.check(entry).delete(["x"]));
    },
  ]);
});

Deno.test("openSharedStore: the expiry of an entry reaches the store", async () => {
  using owner = await Deno.openKv(":memory:");
  const received: unknown[] = [];
  const atomic = () => {
    const operation = owner.atomic();
    const mutate = operation.mutate.bind(operation);
    return Object.assign(operation, {
      mutate(...mutations: Deno.KvMutation[]) {
        received.push(...mutations);
        return mutate(...mutations);
      },
    });
  };
  await using served = await ServedStore.open(overrideKv(owner, { atomic }));
  using shared = await served.connect();
  await shared.set(["a"], 1, { expireIn: 60_000 });
  await shared.atomic().set(["b"], 2, { expireIn: 70_000 }).set(["c"], 3).commit();
  assertEquals(received, [
    { type: "set", key: ["a"], value: 1, expireIn: 60_000 },
    { type: "set", key: ["b"], value: 2, expireIn: 70_000 },
    { type: "set", key: ["c"], value: 3 },
  ]);
});

/** All entries of a list with the cursor after each, and the cursor at its end. */
async function walk(
  kv: Deno.Kv,
  selector: Deno.KvListSelector,
  options?: Deno.KvListOptions,
): Promise<unknown> {
  const list = kv.list(selector, options);
  const seen: unknown[] = [];
  for await (const entry of list) seen.push([withoutStamps(entry), list.cursor]);
  return [seen, list.cursor];
}

async function fill(kv: Deno.Kv): Promise<void> {
  for (let n = 0; n < 12; n++) await kv.set(["a", n], { n });
  await kv.set(["b", "x"], new Uint8Array([1]));
  await kv.set(["b", "y"], new Deno.KvU64(4n));
}

Deno.test("openSharedStore: lists of every selector and option have the same entries and cursors", async () => {
  await same(
    [undefined, 1, 2, 5, 12, 13].flatMap((batchSize) =>
      [undefined, 1, 5, 12, 500].flatMap((limit) =>
        [false, true].map((reverse) => {
          const options = {
            reverse,
            ...batchSize !== undefined && { batchSize },
            ...limit !== undefined && { limit },
          };
          return async (kv: Deno.Kv) => [
            await walk(kv, { prefix: ["a"] }, options),
            await walk(kv, { prefix: [] }, options),
            await walk(kv, { prefix: ["a"], start: ["a", 3] }, options),
            await walk(kv, { prefix: ["a"], end: ["a", 3] }, options),
            await walk(kv, { start: ["a", 2], end: ["b", "y"] }, options),
            await walk(kv, { prefix: ["none"] }, options),
          ];
        })
      )
    ),
    fill,
  );
});

Deno.test("openSharedStore: a cursor continues a list of the other store", async () => {
  using owner = await Deno.openKv(":memory:");
  await using served = await ServedStore.open(owner);
  using shared = await served.connect();
  await fill(shared);
  for (const [from, to] of [[owner, shared], [shared, owner]] as const) {
    const first = from.list({ prefix: ["a"] }, { limit: 5 });
    const start = await Array.fromAsync(first);
    const rest = await Array.fromAsync(to.list({ prefix: ["a"] }, { cursor: first.cursor }));
    assertEquals(
      [...start, ...rest].map(({ key }) => key[1]),
      Array.from({ length: 12 }).map((_, n) => n),
    );
  }
});

Deno.test("openSharedStore: a watch reports changes of other clients, and ends with its reader", async () => {
  using owner = await Deno.openKv(":memory:");
  await using served = await ServedStore.open(owner);
  using one = await served.connect();
  using other = await served.connect();
  for (const raw of [false, true]) {
    const reader = one.watch([["a"], ["n"]], { raw }).getReader();
    const next = async () => (await reader.read()).value?.map(({ value }) => value);
    assertEquals(await next(), [null, null]);
    await other.set(["a"], raw);
    assertEquals(await next(), [raw, null]);
    await other.set(["n"], new Deno.KvU64(1n));
    assertEquals(await next(), [raw, new Deno.KvU64(1n)]);
    await other.atomic().delete(["a"]).delete(["n"]).commit();
    assertEquals(await next(), [null, null]);
    const pending = reader.read();
    await reader.cancel();
    assertEquals(await pending, { value: undefined, done: true });
  }
});

Deno.test("openSharedStore: a slow reader of a watch gets the latest change", async () => {
  using owner = await Deno.openKv(":memory:");
  await using served = await ServedStore.open(owner);
  using shared = await served.connect();
  const reader = shared.watch([["a"]]).getReader();
  for (let n = 1; n <= 50; n++) await shared.set(["a"], n);
  const seen: unknown[] = [];
  while (seen.at(-1) !== 50) seen.push((await reader.read()).value![0]!.value);
  assert(seen.length <= 52);
  await reader.cancel();
});

Deno.test("openSharedStore: close ends watches, answers calls in flight and rejects later ones", async () => {
  const close = async (kv: Deno.Kv) => {
    const reader = kv.watch([["a"]]).getReader();
    await reader.read();
    const pending = reader.read();
    kv.close();
    return [
      await pending,
      await outcome(() => kv.get(["a"])),
      await outcome(() => kv.set(["a"], 1)),
      await outcome(() => kv.atomic().commit()),
      await outcome(() => kv.list({ prefix: [] }).next()),
      await outcome(() => kv.watch([["a"]])),
      await outcome(() => kv.close()),
    ];
  };
  using owner = await Deno.openKv(":memory:");
  await using served = await ServedStore.open(owner);
  const lost: Error[] = [];
  const shared = await served.connect((error) => lost.push(error));
  // A store of this process may answer it too, or throw that it is closed.
  const inFlight = shared.set(["a"], 1);
  const atClose = close(shared);
  assertEquals((await inFlight).ok, true);
  assertEquals(await atClose, await close(await Deno.openKv(":memory:")));
  await served.ended();
  assertEquals(lost, []);
});

Deno.test("openSharedStore: a lost connection rejects every call, and is reported once", async () => {
  using owner = await Deno.openKv(":memory:");
  await using served = await ServedStore.open(owner);
  const lost: Error[] = [];
  using shared = await served.connect((error) => lost.push(error));
  const reader = shared.watch([["a"]]).getReader();
  await reader.read();
  const failures = [
    assertRejects(() => reader.read(), Deno.errors.ConnectionReset),
    assertRejects(() => reader.read(), Deno.errors.ConnectionReset),
  ];
  served.disconnect();
  await Promise.all(failures);
  for (const call of [() => shared.get(["a"]), () => shared.atomic().commit()]) {
    await assertRejects(call, Deno.errors.ConnectionReset, "the connection to the store was lost");
  }
  assertThrows(() => shared.watch([["a"]]), Deno.errors.ConnectionReset);
  assertEquals(lost.length, 1);
});

Deno.test("openSharedStore: calls in flight reject when the connection is lost", async () => {
  const listener = Deno.listen({ port: 0, hostname: "127.0.0.1" });
  const conn = await Deno.connect({ port: (listener.addr as Deno.NetAddr).port });
  const silent = await listener.accept();
  listener.close();
  const lost = Promise.withResolvers<Error>();
  const kv = openSharedStore(conn, { onLost: lost.resolve });
  const calls = [kv.get(["a"]), kv.set(["a"], 1), kv.list({ prefix: [] }).next()].map((call) =>
    assertRejects(() => call, Deno.errors.ConnectionReset)
  );
  silent.close();
  await Promise.all(calls);
  assertInstanceOf(await lost.promise, Deno.errors.ConnectionReset);
  kv.close();
});

Deno.test("serveStore: an invalid message or frame ends the connection, and the store stays open", async () => {
  using owner = await Deno.openKv(":memory:");
  await using served = await ServedStore.open(owner);
  const frame = (payload: Uint8Array, length = payload.length) => {
    const bytes = new Uint8Array(4 + payload.length);
    new DataView(bytes.buffer).setUint32(0, length);
    bytes.set(payload, 4);
    return bytes;
  };
  const messages = [
    frame(new Uint8Array([1, 2, 3])),
    frame(serialize(null)),
    frame(serialize({ op: "read", keys: [] })),
    frame(serialize({ id: 1, op: "drop" })),
    frame(new Uint8Array(), MAX_FRAME_BYTES + 1),
  ];
  for (const message of messages) {
    using conn = await served.dial();
    await conn.write(message);
    assertEquals(await conn.read(new Uint8Array(1)), null);
  }
  await served.ended();
  await owner.set(["a"], 1);
});

Deno.test("serveStore: frames that arrive in pieces and joined are all answered", async () => {
  using owner = await Deno.openKv(":memory:");
  await using served = await ServedStore.open(owner);
  using shared = await served.connect();
  const big = crypto.getRandomValues(new Uint8Array(65_000));
  await Promise.all(Array.from({ length: 200 }, (_, n) => shared.set(["big", n], big)));
  const reads = Array.from({ length: 200 }, (_, n) => shared.get<Uint8Array>(["big", n]));
  for (const { value } of await Promise.all(reads)) assertEquals(value, big);
  const rows = await Array.fromAsync(shared.list<Uint8Array>({ prefix: ["big"] }));
  assert(rows.length === 200 && rows.every(({ value }) => value.length === big.length));
});
