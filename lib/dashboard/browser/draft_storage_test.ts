import { assertEquals } from "@std/assert";
import { compareDraft, type StoredDraft } from "./draft_storage.ts";

const OPENED = { name: "Helper", systemPrompt: "Be brief.", version: "1" };

function draft(change: object, base: Record<string, string> = OPENED): StoredDraft {
  return { user: "1", values: { ...OPENED, ...change }, base };
}

Deno.test("changesOf: only what somebody changed comes back, never what they only had on their page", () => {
  const now = { ...OPENED, systemPrompt: "Be kind.", version: "2" };
  assertEquals(compareDraft(draft({ name: "Mine" }), now), { mine: ["name"], clashes: [] });
});

Deno.test("changesOf: a field that both have changed is named, unless to the same", () => {
  const now = { ...OPENED, name: "Theirs", systemPrompt: "Be kind.", version: "2" };
  const mine = draft({ name: "Mine", systemPrompt: "Be kind." });
  assertEquals(compareDraft(mine, now), { mine: ["name"], clashes: ["name"] });
});

Deno.test("compareDraft: in a new agent, every difference counts", () => {
  const now = { ...OPENED, name: "Theirs", version: "9" };
  assertEquals(compareDraft(draft({}, {}), now), { mine: ["name"], clashes: ["name"] });
});

Deno.test("changesOf: of a new agent all comes back, for its page may begin with another template", () => {
  const blank = { name: "", systemPrompt: "", version: "" };
  const base = { ...blank, systemPrompt: "From a template." };
  const values = { ...base, name: "Mine" };
  const changes = compareDraft({ values, base }, blank);
  assertEquals(changes, { mine: ["name", "systemPrompt"], clashes: [] });
});
