import { isBinaryKey } from "@/lib/store/values/is_binary_key.ts";
import { decodeValue, encodeValue } from "@/lib/store/values/value_codec.ts";
import { median } from "./support/median.ts";
import { formatTable } from "./support/table.ts";
import type { Benchmark } from "./mod.ts";
import { readFrames } from "@/tests/support/frames.ts";
import { TestService } from "@/tests/support/service.ts";
import { byKey } from "@/tests/support/widget_calls.ts";

const ROUNDS = 41;
/** Minimum bytes per measurement, so that it takes long enough for the clock. */
const BYTES_A_ROUND = 400_000;

interface Format {
  encode(value: unknown): Uint8Array;
  decode(bytes: Uint8Array): unknown;
}

// deno-lint-ignore no-explicit-any
const core = (Deno as any)[(Deno as any).internal].core;
const V8: Format = {
  encode: (value) => core.serialize(value, { forStorage: true }),
  decode: (bytes) => core.deserialize(bytes, { forStorage: true }),
};
const OURS: Format = { encode: encodeValue, decode: decodeValue };

/** The records that one chat of a warm service writes and reads, without values stored as plain bytes. */
async function recordChat(): Promise<{ written: unknown[]; read: unknown[] }> {
  const real = await Deno.openKv(":memory:");
  const recorded: { written: unknown[]; read: unknown[] } = { written: [], read: [] };
  const record = (key: Deno.KvKey, value: unknown) => {
    if (!isBinaryKey(key)) recorded.written.push(structuredClone(value));
  };
  const kv = new Proxy(real, {
    get(target, name) {
      if (name === "atomic") return () => recordSets(target.atomic(), record);
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== "function") return value;
      if (name !== "get" && name !== "getMany") return value.bind(target);
      return async (...args: unknown[]) => {
        const found = await value.apply(target, args);
        for (const entry of [found].flat()) if (entry.versionstamp) recorded.read.push(entry.value);
        return found;
      };
    },
  });
  await using service = await TestService.start({ kv });
  const key = await service.key();
  const agent = await service.agent(key);
  const chat = async () =>
    await readFrames(
      await byKey(service, { key, body: { agentId: agent.id, maxOutputTokens: 8 } }),
    );
  for (let n = 0; n < 5; n++) await chat();
  Object.assign(recorded, { written: [], read: [] });
  await chat();
  return recorded;
}

function recordSets(
  atomic: Deno.AtomicOperation,
  record: (key: Deno.KvKey, value: unknown) => void,
): Deno.AtomicOperation {
  const set = atomic.set.bind(atomic);
  return Object.assign(atomic, {
    set(...args: Parameters<typeof set>) {
      record(args[0], args[1]);
      set(...args);
      return atomic;
    },
  });
}

function millisecondsOf(work: () => void, times: number): number {
  const start = performance.now();
  for (let n = 0; n < times; n++) work();
  return performance.now() - start;
}

/** Compares in pairs: the medians of V8's times and of the ratios of ours to V8's. */
function compare(values: readonly unknown[], of: "encode" | "decode") {
  const stored = new Map(
    [V8, OURS].map((format) =>
      [format, values.map((value) => new Uint8Array(format.encode(value)))] as const
    ),
  );
  const size = (format: Format) => stored.get(format)!.reduce((sum, one) => sum + one.length, 0);
  const times = Math.max(1, Math.round(BYTES_A_ROUND / size(V8)));
  const time = (format: Format) =>
    of === "encode"
      ? millisecondsOf(() => values.forEach((value) => format.encode(value)), times)
      : millisecondsOf(() => stored.get(format)!.forEach((one) => format.decode(one)), times);
  const pairs = Array.from({ length: ROUNDS }, () => [time(V8), time(OURS)] as const);
  return {
    microseconds: median(pairs.map(([v8]) => v8)) / times * 1000,
    ratio: median(pairs.map(([v8, ours]) => ours / v8)),
    bytes: [size(V8), size(OURS)],
  };
}

function ledger(leases: number) {
  const lease = () => [crypto.randomUUID(), { until: Date.now(), hold: 12_345 }];
  const runs = Object.fromEntries(Array.from({ length: leases }, lease));
  return { v: 1, period: "2026-11-22", spent: 4_123_456, earlier: {}, runs };
}

const stamps = (count: number) => Array.from({ length: count }, (_, n) => Date.now() - n * 13);

export const benchmark: Benchmark = {
  about: "what storing values in our own format costs compared with V8's serializer",
  run: printComparison,
};

async function printComparison(): Promise<void> {
  const { written, read } = await recordChat();
  const rows: [string, readonly unknown[], "encode" | "decode"][] = [
    [`a chat's ${written.length} writes`, written, "encode"],
    [`a chat's ${read.length} reads`, read, "decode"],
    ["all that it writes, read", written, "decode"],
  ];
  for (const n of [10, 100, 800]) rows.push([`a ledger of ${n} leases`, [ledger(n)], "encode"]);
  for (const n of [50, 6_000]) {
    rows.push([`a window of ${n} requests`, [{ v: 1, all: stamps(n) }], "encode"]);
  }
  const compared = rows.filter(([, values]) => values.length > 0).map(([what, values, of]) => {
    const { microseconds, ratio, bytes } = compare(values, of);
    return [what, of, microseconds.toFixed(1), ratio.toFixed(2), ...bytes.map(String)];
  });
  const head = ["what", "", "V8 (us)", "ours / V8", "bytes V8", "bytes ours"];
  console.log(formatTable(head, compared));
}
