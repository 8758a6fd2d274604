import { assert, assertEquals } from "@std/assert";
import { formatFindings, storeAdvice, type StoreFindings } from "./store_advice.ts";

function findings(change: Partial<StoreFindings> & { ms?: number[] } = {}): StoreFindings {
  const { ms = [0.6, 0.8, 1.2], ...rest } = change;
  const writes = [500, 2_000, 16_000].map((bytes, n) => ({ bytes, ms: ms[n]! }));
  return {
    kind: "server",
    url: "http://127.0.0.1:4512",
    readMs: 0.3,
    writes,
    maxChecks: 10,
    ...rest,
  };
}

Deno.test("storeAdvice: a healthy store needs none", () => {
  assertEquals(storeAdvice(findings()), []);
  assertEquals(storeAdvice(findings({ url: "https://kv.example", clockSkewMs: -900 })), []);
  assertEquals(storeAdvice(findings({ kind: "file", url: undefined })), []);
});

Deno.test("storeAdvice: each problem has advice", async (t) => {
  const cases: [string, Parameters<typeof findings>[0], string[]][] = [
    ["delayed acknowledgements", { ms: [0.6, 44.6, 45] }, ["takes 44 ms longer", "HAProxy"]],
    ["a distant store", { readMs: 90, ms: [91, 93, 99] }, ["90 ms away", "region"]],
    ["a slow disk", { kind: "file", url: undefined, ms: [35, 36, 40] }, [
      "disk takes 35 ms",
      "SSD",
    ]],
    ["memory", { kind: "memory", url: undefined }, ["lost", "KV_PATH"]],
    ["no encryption", { url: "http://kv.internal:4512" }, ["kv.internal", "access token", "https"]],
    ["clocks", { clockSkewMs: -61_000 }, ["61 s behind", "NTP"]],
    ["clocks", { clockSkewMs: 5_000 }, ["5 s ahead of"]],
  ];
  for (const [name, change, words] of cases) {
    await t.step(name, () => {
      const advice = storeAdvice(findings(change));
      assertEquals(advice.length, 1, advice.join("\n"));
      for (const word of words) assert(advice[0]!.includes(word), advice[0]);
    });
  }
});

Deno.test("formatFindings: one line for each measurement", () => {
  assertEquals(
    formatFindings(findings({ clockSkewMs: 100 })),
    `Store    KV server at http://127.0.0.1:4512
Secrets  fit the store
Read     0.3 ms
Write    500 B 0.6 ms, 2 KB 0.8 ms, 16 KB 1.2 ms
Limits   10 checks in one commit
Clock    the server's and this one agree`,
  );
});
