import { assertEquals } from "@std/assert";
import { agentBodyOf } from "@/tests/support/agents.ts";
import { FakeRuntime, fakeUuid } from "@/tests/support/fake_runtime.ts";
import { AgentStore } from "./agent_store.ts";
import { tokenize } from "./agent_index.ts";
import { keys } from "../keys/keys.ts";

const [OURS, THEIRS] = [fakeUuid(811), fakeUuid(812)];

function open(kv: Deno.Kv) {
  const store = new AgentStore(kv, new FakeRuntime());
  const add = (name: string, tenant = OURS) => store.create(tenant, agentBodyOf({ name }));
  const find = async (query: string, limit = 10) => {
    const { data, more } = await store.search(OURS, { query, limit });
    return { names: data.map(({ name }) => name), more };
  };
  return { store, add, find };
}

Deno.test("tokenize: ignores case and accents; a word is letters and digits", () => {
  assertEquals(tokenize("  Käse-Shop 24: KASE!"), ["kase", "shop", "24"]);
  assertEquals(tokenize("— …"), []);
  assertEquals(tokenize(Array.from({ length: 40 }, (_, n) => `w${n}`).join(" ")).length, 16);
});

Deno.test("AgentStore.search: each word of the query is a prefix of a word of the name; newest first", async () => {
  using kv = await Deno.openKv(":memory:");
  const { add, find } = open(kv);
  for (const name of ["Shop helper", "Help desk", "Shop desk"]) await add(name);
  await add("Shop of theirs", THEIRS);
  assertEquals(await find("shop"), { names: ["Shop desk", "Shop helper"], more: false });
  assertEquals(await find("HEL sho"), { names: ["Shop helper"], more: false });
  assertEquals(await find("elp"), { names: [], more: false });
  assertEquals(await find("!"), { names: [], more: false });
  assertEquals(await find("s", 1), { names: ["Shop desk"], more: true });
});

Deno.test("AgentStore.search: an agent is found by its current name, and not after deletion", async () => {
  using kv = await Deno.openKv(":memory:");
  const { store, add, find } = open(kv);
  const { id } = await add("Red violet");
  await store.update(OURS, id, { change: (body) => ({ ...body, name: "Blue violet" }) });
  assertEquals((await find("red")).names, []);
  assertEquals((await find("blue vio")).names, ["Blue violet"]);
  await store.delete(OURS, id);
  assertEquals((await find("violet")).names, []);
  const left = await Array.fromAsync(kv.list({ prefix: keys.agentsByWord(OURS) }));
  assertEquals(left, []);
});

Deno.test("AgentStore.search: agents of releases without the index are found too", async () => {
  using kv = await Deno.openKv(":memory:");
  const { add, find } = open(kv);
  await add("Old timer");
  for await (const { key } of kv.list({ prefix: keys.agentsByWord(OURS) })) await kv.delete(key);
  assertEquals((await find("old")).names, ["Old timer"]);
});
