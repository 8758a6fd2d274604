import { assertEquals, assertThrows } from "@std/assert";
import { UsageError } from "./arguments.ts";
import { parseVerifyArgs } from "./verify_args.ts";

const KEY = "cC96rVim1OHvqE8p5LiXLb38oZ7hFcDM7mm2tJQjiPE";

Deno.test("deno task verify: takes a key whose id begins with a dash", () => {
  const dashed = `-${KEY.slice(1)}`;
  for (const words of [["a.jsonl", "--key", dashed], ["--key", dashed, "a.jsonl"]]) {
    const args = parseVerifyArgs(words);
    assertEquals(args, { file: "a.jsonl", key: dashed, agent: undefined, allowUnproven: false });
  }
});

Deno.test("deno task verify: rejects what it does not know", () => {
  const wrong = [[], ["a", "b"], ["a", "--key"], ["a", "--key", "short"], ["a", "--other"]];
  for (const words of wrong) assertThrows(() => parseVerifyArgs(words), UsageError);
  assertEquals(parseVerifyArgs(["--help"]), "help");
});
