/** `deno task agents` as its own process: exit codes, a kill in the middle, two at once, and many agents. */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import type { Agent } from "@/lib/schemas/agent.ts";
import { agentFile, openAgentFolders } from "./support/agent_folders.ts";
import { runCli } from "./support/command_line.ts";
import { expectJson } from "./support/expect_response.ts";
import { taskCommand } from "./support/task_command.ts";

type Folders = Awaited<ReturnType<typeof openAgentFolders>>;

function commands(on: Folders) {
  const { root, address, key } = on;
  const env = { AGENT_CHAT_URL: address.url, AGENT_CHAT_API_KEY: key, INIT_CWD: root };
  return {
    env,
    agents: (...words: string[]) => runCli("agents", words, { dir: root, env }),
    spawn(...words: string[]) {
      const { command, args } = taskCommand("agents", { words });
      return new Deno.Command(command, {
        ...{ args, env, stdin: "null", stdout: "null", stderr: "piped" },
        cwd: new URL("../", import.meta.url).pathname,
      }).spawn();
    },
  };
}

/** Agents whose prompts say which folder they are of. */
function manyAgents(count: number, of: string): Record<string, unknown> {
  const keys = Array.from({ length: count }, (_, n) => `agent-${String(n).padStart(3, "0")}`);
  return Object.fromEntries(
    keys.map((key) => [`agents/${key}.yaml`, agentFile(key, { systemPrompt: `Of ${of}.` })]),
  );
}

async function prompts(on: Folders): Promise<Record<string, number>> {
  const { data: keyed } = await expectJson(
    await on.call("GET", "/configuration/keys?limit=100"),
    200,
  );
  const ids = new Set(keyed.map(({ id }: { id: string }) => id));
  const counts: Record<string, number> = {};
  let cursor = "";
  do {
    const page = await expectJson(await on.call("GET", `/agents?limit=100${cursor}`), 200);
    for (const { id, systemPrompt } of page.data as Agent[]) {
      if (!ids.has(id)) continue;
      counts[systemPrompt] = (counts[systemPrompt] ?? 0) + 1;
    }
    cursor = page.nextCursor === undefined ? "" : `&cursor=${page.nextCursor}`;
  } while (cursor !== "");
  return counts;
}

Deno.test("deno task agents: exports, compares and applies, with exit codes for CI", async () => {
  await using on = await openAgentFolders();
  const { agents } = commands(on);
  await on.write("shop", { "agents/shop.yaml": agentFile("shop") });
  const differs = await agents("diff", "shop");
  assertEquals([differs.code, differs.out.split("\n")[0]], [1, "+ agents/shop"], differs.err);
  const unasked = await agents("apply", "shop");
  assertEquals(unasked.code, 2);
  assertStringIncludes(unasked.err, "give --yes");
  assertEquals((await agents("apply", "shop", "--yes")).code, 0);
  assertEquals((await agents("diff", "shop")).code, 0);
  assertEquals((await agents("export", "exported")).code, 0);
  assertEquals((await agents("export", "exported")).code, 2, "it is not empty");
  assertEquals((await agents("diff", "exported", "--prune")).code, 1, "the demo agent has no key");

  await on.write("wrong", { "agents/shop.yaml": "key: shop\nnome: Shop\n" });
  const wrong = await agents("apply", "wrong", "--yes");
  assertEquals(wrong.code, 1);
  assertStringIncludes(wrong.err, "agents/shop.yaml:2 nome: ");
  const failed = await agents("diff", "wrong");
  assertEquals(failed.code, 2, "no difference, but a failure");
  const away = await agents("apply", "shop", "--yes", "--url", "http://127.0.0.1:9");
  assertEquals(away.code, 1);
  assertStringIncludes(away.err, "cannot reach http://127.0.0.1:9");
  for (const words of [["apply"], ["apply", "a", "b"], ["diff", "shop", "--yes"], ["nothing"]]) {
    assertEquals((await agents(...words)).code, 2, words.join(" "));
  }
  assertStringIncludes((await agents("--help")).out, "deno task agents apply FOLDER");
  assertEquals([wrong, failed, away].some(({ err }) => err.includes(on.key)), false);
});

Deno.test("deno task agents: killed in the middle, the next apply continues", async () => {
  await using on = await openAgentFolders();
  const { agents, spawn } = commands(on);
  await on.write("many", manyAgents(60, "many"));
  await using process = spawn("apply", "many", "--yes");
  const [reported, rest] = process.stderr.tee();
  for await (const text of reported.pipeThrough(new TextDecoderStream())) {
    if (/\b2\d of 60/.test(text)) break;
  }
  // The task runs as the shell's own process.
  process.kill("SIGKILL");
  await rest.cancel();
  await process.status;
  const rejected = await agents("apply", "many", "--yes");
  assertEquals(rejected.code, 1);
  assertStringIncludes(rejected.err, "another apply has the lock since");
  // By now the last request of the killed command has ended.
  const { "Of many.": made = 0 } = await prompts(on);
  assert(made >= 20 && made < 60, `${made} were made`);
  const rested = await agents("apply", "many", "--yes", "--take-over");
  assertEquals(rested.code, 0, rested.err);
  assertStringIncludes(rested.out, `Plan: ${60 - made} to create, 0 to change, 0 to delete.`);
  assertEquals(await prompts(on), { "Of many.": 60 });
});

Deno.test("deno task agents: interrupted, it ends between two changes and releases the lock", async () => {
  await using on = await openAgentFolders();
  const { agents, spawn } = commands(on);
  await on.write("many", manyAgents(60, "many"));
  await using process = spawn("apply", "many", "--yes");
  let reported = "";
  let isSent = false;
  for await (const text of process.stderr.pipeThrough(new TextDecoderStream())) {
    reported += text;
    const isDue = /\b2\d of 60/.test(reported);
    if (isDue && !isSent) process.kill("SIGINT");
    isSent ||= isDue;
  }
  assertEquals((await process.status).code, 130);
  const [, made] = /interrupted after (\d+) of 60 changes; apply again/.exec(reported)!;
  assertEquals(await prompts(on), { "Of many.": Number(made) });
  const rest = await agents("apply", "many", "--yes");
  assertEquals(rest.code, 0, rest.err);
  assertEquals(await prompts(on), { "Of many.": 60 });
});

Deno.test("deno task agents: two at once end as one of both, never as a mixture", async () => {
  await using on = await openAgentFolders();
  const { agents } = commands(on);
  await on.write("red", manyAgents(30, "red"));
  await on.write("blue", manyAgents(30, "blue"));
  await agents("apply", "red", "--yes");
  for (const more of [[], ["--wait", "60"], ["--take-over"]]) {
    const both = await Promise.all(
      ["red", "blue", "red"].map((folder) => agents("apply", folder, "--yes", ...more)),
    );
    const counts = await prompts(on);
    const isWhole = counts["Of red."] === 30 || counts["Of blue."] === 30;
    const reported = both.map(({ code, out, err }) => `${code} ${out} ${err}`).join("\n");
    assert(isWhole, `${JSON.stringify(counts)}\n${reported}`);
    const refusals = /another apply has the lock|taken it over|since you read it/;
    for (const { code, err } of both) assert(code === 0 || refusals.test(err), reported);
    assert(both.some(({ code }) => code === 0), reported);
  }
});

Deno.test("deno task agents: 200 agents, applied, applied again, changed, and exported", async () => {
  await using on = await openAgentFolders();
  await on.write("many", manyAgents(200, "many"));
  assertEquals((await on.apply("many")).writes.length, 200);
  assertEquals((await on.apply("many")).writes, []);
  await on.write("many", { "agents/agent-123.yaml": agentFile("agent-123", { name: "Changed" }) });
  assertEquals((await on.apply("many")).writes, ["PUT /configuration/agents/agent-123"]);
  assertEquals((await on.export("exported")).files >= 200, true);
  const { code, writes } = await on.apply("exported");
  assertEquals([code, writes.filter((one) => !one.includes("adopt"))], [0, []]);
});
