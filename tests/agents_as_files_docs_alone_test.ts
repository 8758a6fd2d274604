/** docs/agents-as-files.md, pasted, and the example of a workflow. */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { parse } from "yaml";
import { parseAgentsArgs } from "@/cli/agents_args.ts";
import { fileSchema } from "@/lib/openapi/file_schemas.ts";
import { FILE_SCHEMAS, type FileSchemaName } from "@/lib/schemas/agent_files.ts";
import { FOLDERS } from "@/cli/agents/folder.ts";
import Ajv2020 from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { openAgentFolders } from "./support/agent_folders.ts";
import { runCli } from "./support/command_line.ts";
import { expectJson } from "./support/expect_response.ts";
import { blockNamed, runBlock } from "./support/operations_doc.ts";

const ROOT = new URL("../", import.meta.url);
const DOC = "agents-as-files";
const FILES = ["agents/shop.yaml", "knowledge/handbook.yaml", "test-sets/returns.yaml"];

Deno.test("docs/agents-as-files.md: its files are valid, and its commands export and apply them", async () => {
  await using on = await openAgentFolders();
  const env = {
    ...{ AGENT_CHAT_URL: on.address.url, AGENT_CHAT_API_KEY: on.key, INIT_CWD: on.root },
    ...{ PATH: `${on.root}/bin:${Deno.env.get("PATH")}`, HOME: Deno.env.get("HOME") ?? on.root },
  };
  await Deno.mkdir(`${on.root}/bin`);
  await Deno.symlink(Deno.execPath(), `${on.root}/bin/deno`);
  const run = (name: string) => runBlock(name, { env, cwd: ROOT.pathname, doc: DOC });
  assertStringIncludes(await run("export"), "Wrote 1 file to agents-folder.");
  for (const file of FILES) {
    await on.write("agents-folder", { [file]: await blockNamed(file, DOC) });
  }
  await on.write("agents-folder", { "knowledge/handbook/returns.md": "# Returns\n\n30 days.\n" });
  const applied = await run("apply");
  assertStringIncludes(applied, "+ agents/shop");
  assertStringIncludes(applied, "Applied 6 changes.");
  const again = await runCli("agents", ["diff", "agents-folder"], { dir: on.root, env });
  assertEquals([again.code, again.out.split(":")[0]], [0, "Nothing to change"]);
  const { data: [base] } = await expectJson(await on.call("GET", "/knowledge-bases"), 200);
  const { data } = await expectJson(
    await on.call("GET", `/knowledge-bases/${base.id}/documents`),
    200,
  );
  assertEquals(data.map(({ title }: { title: string }) => title), ["Returns and refunds"]);
});

Deno.test("GET /schemas: what the schemas of files accept and reject, as editors see it", async () => {
  await using on = await openAgentFolders();
  const names = Object.keys(FILE_SCHEMAS) as FileSchemaName[];
  for (const name of names) {
    const response = await on.service.fetch(`/schemas/${name}.json`);
    const schema = await expectJson(response, 200);
    assertEquals(schema.$id, `${on.address.url}/schemas/${name}.json`);
    assertEquals(schema, JSON.parse(JSON.stringify(fileSchema(name, on.address.url))));
    const ajv = new Ajv2020.default({ strict: false });
    addFormats.default(ajv);
    const validate = ajv.compile(schema);
    const [kind] = Object.values(FOLDERS).filter(({ schemaName }) => schemaName === name);
    const file = FILES.find((one) => one.startsWith(kind!.folder))!;
    const value: Record<string, unknown> = parse(await blockNamed(file, DOC));
    assert(validate(value), JSON.stringify(validate.errors));
    assertEquals(validate({ ...value, nome: "Shop" }), false);
    assertEquals(validate({ ...value, key: 7 }), false);
  }
});

Deno.test("examples/github-actions/agents.yml: is a workflow whose commands the task takes", async () => {
  const text = await Deno.readTextFile(new URL("examples/github-actions/agents.yml", ROOT));
  const workflow = parse(text, { strict: true, uniqueKeys: true });
  assertEquals(Object.keys(workflow), ["name", "on", "permissions", "concurrency", "env", "jobs"]);
  const env: Record<string, string> = {
    ...{ AGENT_CHAT_URL: "https://chat.example.com", AGENT_CHAT_API_KEY: "ck_live_x" },
  };
  type Job = { env: Record<string, string>; steps: { run?: string }[] };
  const jobs = Object.values<Job>(workflow.jobs);
  const commands = jobs.flatMap(({ steps }) => steps.flatMap(({ run }) => run ?? []));
  const parsed = commands.map((command) => {
    const [, words] = /^npx --yes deno@2\.9\.6 task agents (.*)$/.exec(command)!;
    return parseAgentsArgs(words!.split(" "), (name) => env[name]);
  });
  assertEquals(
    parsed.map((args) => args.action === "apply" && [args.dryRun, args.yes, args.wait]),
    [[true, false, 0], [false, true, 300]],
  );
  assert("AGENT_CHAT_URL" in workflow.env);
  const keys = jobs.map(({ env }) => env.AGENT_CHAT_API_KEY);
  assertEquals(keys, ["${{ secrets.AGENT_CHAT_READ_KEY }}", "${{ secrets.AGENT_CHAT_API_KEY }}"]);
});
