import { assert, assertEquals, assertMatch } from "@std/assert";
import { toolNames } from "./tool_names.ts";

const agent = (n: number, name: string) => ({
  id: `${n.toString(16).padStart(8, "0")}-7d0e-4b9a-9c34-5e6f7a8b9c0d`,
  name,
});

Deno.test("toolNames: words of the name, and the id for other scripts and clashes", () => {
  const agents = [
    agent(1, "Größe & Maß"),
    agent(2, "日本語"),
    agent(3, "Agent"),
    agent(4, "x"),
    agent(5, "X!"),
    agent(6, "ask_"),
  ];
  assertEquals([...toolNames(agents).keys()], [
    "ask_gro_e_ma",
    "ask_00000002",
    "ask_agent_00000003",
    "ask_x",
    "ask_x_00000005",
    "ask_ask",
  ]);
});

Deno.test("toolNames: names are valid and unique, also if names imitate the suffix of others", () => {
  const long = "a b".repeat(42);
  const names = [long, long, "x", "x", "x 00000004", "x_00000004", "", "💥", long.slice(0, 80)];
  const agents = names.map((name, n) => agent(n + 1, name));
  const named = toolNames(agents);
  assertEquals([...named.values()], agents);
  for (const name of named.keys()) assertMatch(name, /^ask_[a-z0-9_]{1,60}$/);
  const short = { ...agent(1, long), id: "00000001-ffff-4b9a-9c34-5e6f7a8b9c0d" };
  const same = [agent(1, long), agent(1, long), short];
  assert([...toolNames(same).keys()].every((name) => name.length <= 64));
  assertEquals(toolNames(same).size, 3);
});

Deno.test("toolNames: a new agent changes no other agent's tool", () => {
  const agents = ["Shop", "Shop", "Help"].map((name, n) => agent(n + 1, name));
  const before = [...toolNames(agents).keys()];
  const after = [...toolNames([...agents, agent(9, "Help")]).keys()];
  assertEquals(after.slice(0, 3), before);
});
