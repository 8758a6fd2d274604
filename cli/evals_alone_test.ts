/** `deno task evals` as its own process, on a service. */
import { assertEquals, assertStringIncludes } from "@std/assert";
import { runCli } from "@/tests/support/command_line.ts";
import { taskCommand } from "@/tests/support/task_command.ts";
import { openTestSets } from "@/tests/support/test_sets.ts";

const CASES = [
  { question: "May I return it?", expectations: [{ type: "contains", text: "thirty days" }] },
  { question: "Who are you?", expectations: [{ type: "contains", text: "agent" }] },
];

async function open(heldUntil?: Promise<void>) {
  const on = await openTestSets(({ question }) => {
    if (heldUntil !== undefined) return { say: [{ wait: heldUntil }, { text: "Late." }] };
    return question.startsWith("May") ? "Within thirty days." : "A bot.\u001b[2J";
  });
  const dir = await Deno.makeTempDir();
  const set = await on.create(on.agent.id, { threshold: 0.5 });
  const env = { AGENT_CHAT_URL: on.on.service.url, AGENT_CHAT_API_KEY: on.key, INIT_CWD: dir };
  const evals = (...words: string[]) => runCli("evals", words, { dir, env });
  const file = async (name: string, lines: readonly unknown[]) => {
    const text = lines.map((one) => typeof one === "string" ? one : JSON.stringify(one));
    await Deno.writeTextFile(`${dir}/${name}`, `${text.join("\n")}\n`);
  };
  return {
    ...{ ...on, dir, env, set, evals, file },
    async [Symbol.asyncDispose]() {
      await on[Symbol.asyncDispose]();
      await Deno.remove(dir, { recursive: true });
    },
  };
}

Deno.test("deno task evals: imports, runs and exports, with an exit code for CI", async () => {
  await using on = await open();
  await on.file("cases.jsonl", CASES);
  const imported = await on.evals("import", "Returns", "cases.jsonl");
  assertEquals([imported.code, imported.out], [0, '2 cases were added to "Returns".\n']);

  const passed = await on.evals("run", "Returns");
  assertEquals(passed.code, 0, passed.err);
  assertStringIncludes(passed.out, "PASSED: 1 of 2 cases passed (50%), 50% required; 1 failed.");
  assertStringIncludes(passed.out, "FAILED  Who are you?\n  answer: A bot. [2J\n");
  assertStringIncludes(passed.out, "contains agent: the answer does not contain it");

  const failed = await on.evals("run", on.set.id, "--min-passed", "51%", "--out", "r.csv");
  assertEquals(failed.code, 1);
  assertStringIncludes(failed.out, "FAILED: 1 of 2 cases passed (50%), 51% required");
  assertEquals((await Deno.readTextFile(`${on.dir}/r.csv`)).trim().split("\n").length, 3);
  const json = await on.evals("run", "Returns", "--version", "1", "--json");
  assertEquals(JSON.parse(json.out).isPassed, true);

  await on.evals("export", "Returns", "exported.jsonl");
  const lines = (await Deno.readTextFile(`${on.dir}/exported.jsonl`)).trim().split("\n");
  assertEquals(lines.map((line) => JSON.parse(line).question), CASES.map((one) => one.question));
});

Deno.test("deno task evals: names each line that is wrong, and adds none of its request", async () => {
  await using on = await open();
  await on.file("wrong.jsonl", [CASES[0], "", "{", { question: "", expectations: [] }]);
  const wrong = await on.evals("import", "Returns", "wrong.jsonl");
  assertEquals(wrong.code, 2);
  assertStringIncludes(wrong.err, "line 3: is not valid JSON");
  assertStringIncludes(wrong.err, "no case was added");
  await on.file("long.jsonl", [...Array<unknown>(400).fill(CASES[1]), "{", CASES[1]]);
  const long = await on.evals("import", "Returns", "long.jsonl");
  assertStringIncludes(long.err, "line 401: is not valid JSON");
  assertStringIncludes(long.err, "400 cases were added; fix the file and continue with --from 401");
  await on.file("long.jsonl", [...Array<unknown>(400).fill(CASES[1]), CASES[0]]);
  const rest = await on.evals("import", "Returns", "long.jsonl", "--from", "401");
  assertEquals([rest.code, rest.out], [0, '1 case was added to "Returns".\n']);
});

Deno.test("deno task evals: a service that rejects, is not there or has no such set is exit code 2", async () => {
  await using on = await open();
  const none = await on.evals("run", "Returns");
  assertEquals(none.code, 2);
  assertStringIncludes(none.err, "has no enabled case");
  const unknown = await on.evals("run", "Unknown");
  assertEquals(unknown.code, 2);
  assertStringIncludes(unknown.err, 'there is no test set "Unknown"');
  const away = await on.evals("run", "Returns", "--url", "http://127.0.0.1:9");
  assertEquals(away.code, 2);
  assertStringIncludes(away.err, "cannot reach http://127.0.0.1:9");
  assertEquals((await on.evals("run")).code, 2);
  assertEquals([none, unknown, away].some(({ err }) => err.includes(on.key)), false);
});

Deno.test("deno task evals: interrupting it stops the run on the service", async () => {
  const answering = Promise.withResolvers<void>();
  await using on = await open(answering.promise);
  await on.add(on.set.id, CASES);
  const { command, args } = taskCommand("evals", { words: ["run", on.set.id] });
  await using process = new Deno.Command(command, {
    ...{ args, env: on.env, stdout: "null", stderr: "piped" },
    cwd: new URL("../", import.meta.url).pathname,
  }).spawn();
  const [said, rest] = process.stderr.tee();
  for await (const text of said.pipeThrough(new TextDecoderStream())) {
    if (text.includes("cases run")) break;
  }
  process.kill("SIGINT");
  await rest.cancel();
  assertEquals((await process.status).code, 130);
  answering.resolve();
  const { data: [run] } = await (await on.call("GET", `/${on.set.id}/runs`)).json();
  assertEquals((await on.ended(on.set.id, run.id)).state, "stopped");
});
