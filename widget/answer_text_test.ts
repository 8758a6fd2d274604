import { assertEquals } from "@std/assert";
import { stripMarkup } from "./answer_text.ts";

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
