import { assertEquals } from "@std/assert";
import { initialState } from "./state.ts";
import { createTabStore } from "./tab_store.ts";

function memory() {
  const items = new Map<string, string>();
  const storage = {
    getItem: (key: string) => items.get(key) ?? null,
    setItem: (key: string, value: string) => items.set(key, value),
    removeItem: (key: string) => items.delete(key),
  };
  return { items, tab: createTabStore("agent", () => storage as unknown as Storage) };
}

Deno.test("TabStore: writes nothing before the first question, and removes the entry after the last", () => {
  const { items, tab } = memory();
  const state = initialState();
  tab.save(state);
  assertEquals(items.size, 0);
  state.turns.push({ id: 1, role: "user", text: "Hello?" });
  tab.save(state);
  assertEquals(tab.load()?.turns, state.turns);
  tab.save(initialState());
  assertEquals([items.size, tab.load()], [0, undefined]);
});

Deno.test("TabStore: a draft is stored, even before the first question", () => {
  const { items, tab } = memory();
  tab.save({ ...initialState(), draft: "Do you ship to" });
  assertEquals(initialState(tab.load()).draft, "Do you ship to");
  tab.save({ ...initialState(), draft: "" });
  assertEquals(items.size, 0);
});

Deno.test("TabStore: blocked storage and unknown content load as no conversation", () => {
  const blocked = createTabStore("agent", () => {
    throw new DOMException("denied", "SecurityError");
  });
  blocked.save(initialState());
  assertEquals(blocked.load(), undefined);
  const { items, tab } = memory();
  for (const text of ["{", "null", "[]", '{"turns":1}']) {
    items.set("service-widget:agent", text);
    assertEquals(tab.load(), undefined, text);
  }
});
