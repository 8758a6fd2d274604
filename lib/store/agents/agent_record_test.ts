import { assert, assertEquals, assertRejects } from "@std/assert";
import { agentBodyOf, httpTool } from "@/tests/support/agents.ts";
import { FakeRuntime, fakeUuid } from "@/tests/support/fake_runtime.ts";
import { storedKeys } from "@/tests/support/store.ts";
import { ApiError } from "../../schemas/api_error.ts";
import type { AgentBody } from "../../schemas/agent.ts";
import { AgentStore } from "./agent_store.ts";
import { keys } from "../keys/keys.ts";
import { withValueEncoding } from "../kv/with_value_encoding.ts";
import { CorruptRecordError } from "../values/record.ts";

const OURS = fakeUuid(801);
const ALL = { limit: 100 };
const KIB = 1024;

/** An agent body with `fill` in each tool. */
function bodyWith(tools: number, fill: unknown): AgentBody {
  return agentBodyOf({
    allowedDomains: ["tools.example.com"],
    tools: Array.from(
      { length: tools },
      (_, n) => httpTool({ name: `t${n}` }, { method: "POST", body: fill }),
    ),
  });
}

const large = (kib: number, letter = "x") => bodyWith(16, letter.repeat(kib * KIB / 16));
const rename = (name: string) => ({ change: (body: AgentBody) => ({ ...body, name }) });

/** A store that counts reads. */
function counting(kv: Deno.Kv) {
  const reads = { get: 0, getMany: 0, list: 0 };
  const counted = new Proxy(kv, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== "function") return value;
      if (Object.hasOwn(reads, name)) {
        return (...args: unknown[]) => {
          reads[name as keyof typeof reads]++;
          return value.apply(target, args);
        };
      }
      return value.bind(target);
    },
  });
  return { agents: new AgentStore(counted, new FakeRuntime()), reads };
}

function open(kv: Deno.Kv): AgentStore {
  return new AgentStore(kv, new FakeRuntime());
}

Deno.test("AgentStore: reading a small agent takes one read", async () => {
  using kv = await Deno.openKv(":memory:");
  const { agents, reads } = counting(kv);
  const { id } = await agents.create(OURS, agentBodyOf({ systemPrompt: "x".repeat(10_000) }));
  Object.assign(reads, { get: 0, getMany: 0, list: 0 });
  assert(await agents.get(OURS, id));
  assertEquals(reads, { get: 1, getMany: 0, list: 0 });
});

Deno.test("AgentStore: a large agent is stored completely, in every version and any script", async () => {
  using kv = await Deno.openKv(":memory:");
  const agents = open(kv);
  for (const body of [large(24), large(300, "é"), large(700), large(150, "漢"), large(100, "🎈")]) {
    const made = await agents.create(OURS, body);
    assertEquals(await agents.get(OURS, made.id), made);
    const change = await agents.update(OURS, made.id, rename("Two"));
    assertEquals(change, { agent: { ...made, name: "Two", version: 2 } });
    assertEquals((await agents.listVersions(OURS, made.id, ALL)).data.map((v) => v.name), [
      "Two",
      "Helper",
    ]);
    assertEquals(await agents.getVersion(OURS, made.id, 1), made);
    assert("agent" in await agents.delete(OURS, made.id));
    assertEquals(await storedKeys(kv), []);
  }
});

Deno.test("AgentStore: a body near the inline limit fits its record, whatever characters it has", async () => {
  using raw = await Deno.openKv(":memory:");
  const kv = withValueEncoding(raw);
  const agents = open(kv);
  const fills = [
    Array(5_600).fill(0.5),
    Array(3_800).fill(1e21),
    Array(5_600).fill("漢"),
    Array(7_500).fill([]),
    Array(7_500).fill({}),
    Array(4_500).fill(null),
    "漢" + "x".repeat(23_000),
    Array(2_200).fill({ "漢": 0.5 }),
  ];
  for (const fill of fills) {
    const made = await agents.create(OURS, bodyWith(1, fill));
    assertEquals(await agents.get(OURS, made.id), made);
  }
  const chunks = (await storedKeys(kv)).filter((key) => key.startsWith("agent_body_parts"));
  assertEquals(chunks, []);
});

Deno.test("AgentStore: a body that is too large in bytes for its record is stored in chunks", async () => {
  using raw = await Deno.openKv(":memory:");
  const kv = withValueEncoding(raw);
  const agents = open(kv);
  for (const [letters, chunks] of [[18_000, 0], [23_000, 2]] as const) {
    const made = await agents.create(OURS, bodyWith(1, "漢".repeat(letters)));
    assertEquals(await agents.get(OURS, made.id), made);
    const stored = (await storedKeys(kv)).filter((key) => key.includes(`agent_body_parts`));
    assertEquals(stored.length, chunks);
  }
});

Deno.test("AgentStore: an agent beyond 768 KiB is rejected with 413 and changes nothing", async () => {
  using kv = await Deno.openKv(":memory:");
  const agents = open(kv);
  const error = await assertRejects(() => agents.create(OURS, large(768)), ApiError);
  assertEquals([error.code, error.status], ["payload_too_large", 413]);
  assertEquals(await storedKeys(kv), []);
  const { id } = await agents.create(OURS, large(760));
  await assertRejects(() => agents.update(OURS, id, { change: () => large(800) }), ApiError);
  assertEquals((await agents.get(OURS, id))?.version, 1);
});

Deno.test("AgentStore: deleting old versions deletes their chunks, as the agent grows and shrinks", async () => {
  using kv = await Deno.openKv(":memory:");
  const agents = open(kv);
  const { id } = await agents.create(OURS, large(100));
  for (let n = 0; n < 100; n++) await agents.update(OURS, id, rename(`Name ${n}`));
  const chunks = async () =>
    (await storedKeys(kv)).filter((key) => key.startsWith("agent_body_parts"));
  assertEquals((await chunks()).length, 300);
  await agents.update(OURS, id, { change: () => agentBodyOf() });
  assertEquals((await chunks()).length, 297);
  assertEquals((await agents.get(OURS, id))?.tools, []);
  assertEquals((await agents.listVersions(OURS, id, ALL)).data.length, 100);
});

Deno.test("AgentStore: deletion removes all chunks, however many there are", async () => {
  using kv = await Deno.openKv(":memory:");
  const agents = open(kv);
  const { id } = await agents.create(OURS, large(300));
  for (let n = 0; n < 90; n++) await agents.update(OURS, id, rename(`Name ${n}`));
  assert((await storedKeys(kv)).length > 600);
  assert("agent" in await agents.delete(OURS, id));
  assertEquals(await storedKeys(kv), []);
});

Deno.test("AgentStore: a large agent deleted between two reads is missing, a damaged one is an error", async () => {
  using kv = await Deno.openKv(":memory:");
  const { agents: made } = counting(kv);
  const { id } = await made.create(OURS, large(100));
  const racing = new Proxy(kv, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== "function") return value;
      if (name !== "getMany") return value.bind(target);
      return async (...args: unknown[]) => {
        await made.delete(OURS, id);
        return await value.apply(target, args);
      };
    },
  });
  assertEquals(await open(racing).get(OURS, id), undefined);
  const other = await made.create(OURS, large(100));
  await kv.delete(keys.agentBodyChunk(OURS, other.id, 1, 2));
  await assertRejects(() => made.get(OURS, other.id), CorruptRecordError, "lost parts");
});
