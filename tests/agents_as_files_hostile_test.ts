/** Folders that are wrong or hostile: each is reported with file, line and field, and nothing is written. */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { agentFile, openAgentFolders } from "./support/agent_folders.ts";

const UTF8 = new TextEncoder();

/** Ten aliases of ten aliases, and so on: 10^9 items. */
const BOMB = [
  "key: bomb",
  "a0: &a0 [x, x, x, x, x, x, x, x, x, x]",
  ...Array.from(
    { length: 9 },
    (_, n) => `a${n + 1}: &a${n + 1} [${Array(10).fill(`*a${n}`).join(", ")}]`,
  ),
  "",
].join("\n");

/** The file, and what is reported of it. */
const WRONG: [string, Record<string, unknown>, string][] = [
  ["aliases that expand", { "agents/a.yaml": BOMB }, "agents/a.yaml: has aliases that expand"],
  [
    "a key twice",
    { "agents/a.yaml": "key: a\nname: A\nname: B\n" },
    "agents/a.yaml:3: Map keys must be unique",
  ],
  [
    "bytes that are not UTF-8",
    { "agents/a.yaml": new Uint8Array([...UTF8.encode("key: a\nname: "), 0xff, 0xfe]) },
    "agents/a.yaml: is not UTF-8",
  ],
  ["no YAML", { "agents/a.yaml": "key: [a\n" }, "agents/a.yaml:2: "],
  [
    "a tag",
    { "agents/a.yaml": "key: a\nname: !!js/function x\n" },
    "agents/a.yaml:2: Unresolved tag",
  ],
  [
    "two documents",
    { "agents/a.yaml": "key: a\n---\nkey: b\n" },
    "agents/a.yaml:2: has more than one document",
  ],
  [
    "depth",
    { "agents/a.yaml": `key: ${"[".repeat(100_000)}` },
    "agents/a.yaml: is nested too deeply",
  ],
  ["some depth", { "agents/a.yaml": `key: ${"[".repeat(99)}${"]".repeat(99)}` }, "64 levels"],
  [
    "a large file",
    { "agents/a.yaml": `key: ${"a".repeat(1_048_577)}` },
    "agents/a.yaml: is larger",
  ],
  ["a prototype", { "agents/a.yaml": "key: a\n__proto__: {}\n" }, "__proto__"],
  ["infinity", { "agents/a.yaml": "key: a\nbudget: { maxSteps: .inf }\n" }, "is not finite"],
  ["a list", { "agents/a.yaml": "- a\n" }, "agents/a.yaml:1: "],
  ["nothing", { "agents/a.yaml": "" }, "agents/a.yaml: "],
  [
    "an unknown field",
    { "agents/a.yaml": { ...agentFile("a"), systemPromt: "x" } },
    "agents/a.yaml:7 systemPromt: ",
  ],
  [
    "a wrong value",
    { "agents/a.yaml": agentFile("a", { budget: { maxSteps: 999 } }) },
    "agents/a.yaml:8 budget.maxSteps: ",
  ],
  [
    "a missing field",
    { "agents/a.yaml": { key: "a", name: "A", modelPolicy: { provider: "vendor_a" } } },
    "agents/a.yaml:3 modelPolicy.model: ",
  ],
  [
    "a host that is not allowed",
    { "agents/a.yaml": agentFile("a", { tools: [httpTool()] }) },
    "tools.0.request.url: the host shop.example is not in allowedDomains",
  ],
  ["a key of bad form", { "agents/a.yaml": agentFile("../a") }, "agents/a.yaml:1 key: must be"],
  [
    "a key in two files",
    { "agents/a.yaml": agentFile("a"), "agents/b.yaml": agentFile("a") },
    "agents/b.yaml:1 key: is also used in agents/a.yaml",
  ],
  [
    "an unknown base",
    { "agents/a.yaml": agentFile("a", { knowledgeBase: "none" }) },
    "agents/a.yaml:7 knowledgeBase: no knowledge base has this key",
  ],
  [
    "an agent of a set that is not there",
    { "test-sets/a.yaml": { key: "a", name: "A", agent: "none" } },
    "test-sets/a.yaml:3 agent: no agent has this key",
  ],
  [
    "agents that ask each other",
    { "agents/a.yaml": asking("a", "b"), "agents/b.yaml": asking("b", "a") },
    "agents/a.yaml:11 tools.0.agent: would ask this agent in turn",
  ],
  [
    "a secret that is not stored",
    {
      "agents/a.yaml": agentFile("a", { tools: [httpTool()], allowedDomains: ["shop.example"] }),
    },
    "tools.0.request: uses the secret SHOP, which is not stored",
  ],
  [
    "a model that the plan does not have",
    { "agents/a.yaml": agentFile("a", { modelPolicy: { provider: "vendor_a", model: "none" } }) },
    "agents/a.yaml:6 modelPolicy.model: ",
  ],
  [
    "a schema that cannot be compiled",
    {
      "agents/a.yaml": agentFile("a"),
      "test-sets/a.yaml": {
        ...{ key: "a", name: "A", agent: "a" },
        cases: [{
          question: "?",
          expectations: [{ type: "json_schema", schema: { type: "nothing" } }],
        }],
      },
    },
    "cases.0.expectations.0.schema",
  ],
  [
    "documents outside",
    { "knowledge/a.yaml": { key: "a", name: "A", documents: "../../etc" } },
    "knowledge/a.yaml:3 documents: must be a folder below",
  ],
  [
    "an empty document",
    { "knowledge/a.yaml": { key: "a", name: "A", documents: "a" }, "knowledge/a/x.md": "" },
    "knowledge/a/x.md: is empty",
  ],
  [
    "a title without its document",
    {
      "knowledge/a.yaml": { key: "a", name: "A", documents: "a", titles: { "y.md": "Y" } },
      "knowledge/a/x.md": "x",
    },
    "knowledge/a.yaml:4 titles: names y.md, which is not in a",
  ],
];

function httpTool() {
  return {
    ...{ type: "http", name: "order", description: "An order.", parameters: { type: "object" } },
    request: {
      ...{ method: "GET", url: "https://shop.example/" },
      headers: { authorization: "Bearer {{secret.SHOP}}" },
    },
  };
}

function asking(key: string, agent: string) {
  return agentFile(key, { tools: [{ type: "agent", name: "ask", description: "Asks.", agent }] });
}

Deno.test("agents apply: each error of a folder is reported with file, line and field, before any change", async () => {
  await using on = await openAgentFolders();
  for (const [n, [what, files, reported]] of WRONG.entries()) {
    const folder = `wrong-${n}`;
    await on.write(folder, { "agents/good.yaml": agentFile("good"), ...files });
    const { code, out, writes } = await on.apply(folder);
    assertEquals([code, writes], ["error", []], `${what}: ${out}`);
    assertStringIncludes(out, reported, what);
    assert(out.length < 2_000, `${what} is reported in ${out.length} characters`);
  }
});

Deno.test("agents apply: reads nothing outside of the folder, and no file that is too large", async () => {
  await using on = await openAgentFolders();
  const outside = `${on.root}/outside`;
  await on.write("outside", { "secret.yaml": agentFile("secret"), "docs/secret.md": "A secret." });
  const base = { "knowledge/a.yaml": { key: "a", name: "A", documents: "a" } };
  const links: [string, string, string][] = [
    ["agents/link.yaml", `${outside}/secret.yaml`, "is a link to a file outside of the folder"],
    ["agents/none.yaml", "nowhere", "is a link to nothing"],
    ["knowledge/a/link.md", `${outside}/docs/secret.md`, "is a link to a file outside"],
    ["knowledge/a/folder", `${outside}/docs`, "is a link to a file outside"],
    ["knowledge/a/loop", ".", "is not a regular file"],
    ["knowledge/a", `${outside}/docs`, "is a link; a folder must be one itself"],
    ["agents", outside, "is a link; a folder must be one itself"],
  ];
  for (const [n, [name, target, reported]] of links.entries()) {
    const folder = `links-${n}`;
    const isFolder = name === "knowledge/a";
    await on.write(folder, { ...base, ...!isFolder && { "knowledge/a/x.md": "x" } });
    if (name !== "agents") await on.write(folder, { "agents/good.yaml": agentFile("good") });
    await Deno.symlink(target, `${on.root}/${folder}/${name}`);
    const { code, out, writes } = await on.apply(folder);
    assertEquals([code, writes], ["error", []], `${name}: ${out}`);
    assertStringIncludes(out, `${name}: ${reported}`);
  }

  await on.write("large", { ...base, "knowledge/a/small.md": "x" });
  // Sparse: it has a size and no content, and would be read as zeros.
  for (const file of ["knowledge/a/large.pdf", "agents/large.yaml"]) {
    await on.write("large", { [file]: "x" });
    await Deno.truncate(`${on.root}/large/${file}`, 100 * 1_048_576);
  }
  const { code, out } = await on.apply("large");
  assertEquals(code, "error");
  assertStringIncludes(out, "knowledge/a/large.pdf: is larger than 20 MiB");
  assertStringIncludes(out, "agents/large.yaml: is larger than 1 MiB");
});
