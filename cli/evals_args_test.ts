import { assertEquals, assertThrows } from "@std/assert";
import { UsageError } from "./arguments.ts";
import { parseEvalsArgs } from "./evals_args.ts";

const ENV: Record<string, string> = {
  AGENT_CHAT_URL: "https://chat.example/",
  AGENT_CHAT_API_KEY: "ak_key",
};
const parse = (words: string[], env = ENV) => parseEvalsArgs(words, (name) => env[name]);
const ADDRESS = { url: "https://chat.example", apiKey: "ak_key" };

Deno.test("deno task evals: reads a run with its options", () => {
  const none = { agent: undefined, threshold: undefined, budgetUsd: undefined, out: undefined };
  assertEquals(parse(["run", "Returns"]), {
    ...{ ...ADDRESS, ...none, action: "run", set: "Returns", version: "draft", json: false },
  });
  const words = ["run", "Returns", "--version", "7", "--min-passed", "92.5%", "--budget", "0.5"];
  assertEquals(parse([...words, "--out", "r.csv", "--json"]), {
    ...{ ...ADDRESS, ...none, action: "run", set: "Returns", version: 7, json: true },
    ...{ threshold: 0.925, budgetUsd: 0.5, out: "r.csv" },
  });
  assertEquals(parse(["import", "Returns", "a.jsonl", "--from", "401", "--url", "http://a:1"]), {
    ...{ action: "import", set: "Returns", file: "a.jsonl", from: 401 },
    ...{ url: "http://a:1", apiKey: "ak_key" },
  });
  assertEquals(parse(["--help"]), { action: "help" });
});

Deno.test("deno task evals: rejects what it does not know, and shares that could be meant otherwise", () => {
  const run = ["run", "Returns"];
  for (
    const words of [
      ...[[], ["test", "Returns"], ["run"], [...run, "more"], ["import", "Returns"]],
      ...["0.95", "1", "101%", "-1", "most", ""].map((share) => [...run, "--min-passed", share]),
      ...["last", "0", "1.5"].map((version) => [...run, "--version", version]),
      ...[[...run, "--budget", "much"], [...run, "--url", "chat.example"], [...run, "--other"]],
      ...["0", "x", "1.5"].map((line) => ["import", "Returns", "a", "--from", line]),
    ]
  ) assertThrows(() => parse(words), UsageError, undefined, words.join(" "));
  assertThrows(() => parse(run, {}), UsageError, "AGENT_CHAT_URL");
  assertThrows(() => parse(run, { AGENT_CHAT_URL: "http://a" }), UsageError, "AGENT_CHAT_API_KEY");
});
