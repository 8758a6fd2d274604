import { assertEquals } from "@std/assert";
import { beginTool, initialState, stripMarkup } from "./state.ts";

Deno.test("stripMarkup: removes all Markdown syntax and no words", () => {
  const told: [string, string][] = [
    ["**Bold**, _leaning_ and `code`.", "Bold , leaning and code ."],
    ["# Title\n\n> quoted\n\n- one\n- two", "Title quoted - one - two"],
    ["| a | b |\n|---|:-:|\n| c | d |", "a b c d"],
    ["```js\nconst x = 1;\n```", "const x = 1;"],
    ["1. do\n   ```sh\n   ls\n   ```\n> ~~~\n> x\n> ~~~", "1. do ls x"],
    ["A [link](https://a.example/b) and ![a cat](https://a.example/cat.png)", "A link and a cat"],
    ["Wow! [really](https://a.example)", "Wow! really"],
    ["if 3 > 2 then -5, <b>no</b>", "if 3 > 2 then -5, <b>no</b>"],
    ["above\n\n---\n\nbelow", "above below"],
  ];
  for (const [text, words] of told) assertEquals(stripMarkup(text), words);
});

Deno.test("beginTool: shows the owner's words and tells of them once, or keeps what to ask next", () => {
  const state = initialState();
  state.turns.push({ id: 1, role: "user", text: "Hi" });
  const call = { type: "tool_call" as const, args: { questions: ["Why?"] } };
  const progress = "Looking up your order…";
  beginTool(state, { ...call, name: "track_order" });
  assertEquals([state.tool, state.announcements], ["track order", []]);
  for (let n = 0; n < 2; n++) beginTool(state, { ...call, name: "track_order", progress });
  assertEquals([state.tool, state.announcements], [progress, [progress]]);
  state.tool = "";
  beginTool(state, { ...call, name: "suggest_follow_ups" });
  assertEquals([state.tool, state.turns[0]?.followUps], ["", { questions: ["Why?"] }]);
});
