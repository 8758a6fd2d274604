/** The architecture rules that can be checked automatically: import edges, and APIs reserved for some files. */
import { stop } from "esbuild";
import { fileURLToPath } from "node:url";
import manifest from "@/deno.json" with { type: "json" };
import {
  type Import,
  listPages,
  listSources,
  readImports,
} from "./support/architecture/imports.ts";
import { inventedExports, unpublishedImports } from "./support/architecture/published_imports.ts";
import { copiedBy } from "./support/container/docker_ignore.ts";
import { wrongNames } from "./support/architecture/file_names.ts";
import { importCircles, ROOMS, wrongEdges } from "./support/architecture/import_rules.ts";
import { dialectIn } from "./support/architecture/plain_words.ts";
import { readSource, toSource, wrongSource } from "./support/architecture/source_rules.ts";
import { assert, assertArrayIncludes, assertEquals, assertStringIncludes } from "@std/assert";

const ROOT = fileURLToPath(new URL("..", import.meta.url)).replace(/\/$/, "");

/** Read once, because Deno's module graph takes a second or two. */
const importsOfAll = (() => {
  let imports: Promise<Import[]> | undefined;
  return () => imports ??= listSources(ROOT).then((files) => readImports(ROOT, files));
})();

/** The word list itself, and its samples. */
const UNCHECKED_PROSE = /^tests\/(support\/architecture\/|architecture_test)/;

function edge(from: string, to: string, more: Partial<Import> = {}): Import {
  return { from, to, specifier: to, typeOnly: false, line: 1, ...more };
}

Deno.test("architecture: imports flow one way", async () => {
  const imports = await importsOfAll();
  assert(imports.length > 100, "the walk must see the tree");
  assertEquals(wrongEdges(imports), []);
});

Deno.test("architecture: files have no import cycles", async () => {
  assertEquals(importCircles(await importsOfAll()), []);
});

Deno.test("architecture: the container image gets every file that its files import", async () => {
  const isCopied = copiedBy(await Deno.readTextFile(`${ROOT}/.dockerignore`));
  const imports = (await importsOfAll()).filter(({ from }) => isCopied(from));
  const own = imports.filter(({ to }) => !/^\w+:|^node_modules\//.test(to));
  assert(own.length > 1_000, "the walk must see the tree");
  assertEquals(own.filter(({ to }) => !isCopied(to)).map(({ from, to }) => `${from} -> ${to}`), []);
});

Deno.test("architecture: prose uses plain words", async () => {
  const files = (await listSources(ROOT)).filter((path) => !UNCHECKED_PROSE.test(path));
  assert(files.length > 500, "the walk must see the tree");
  const texts = await Promise.all(files.map((path) => Deno.readTextFile(`${ROOT}/${path}`)));
  assertEquals(files.flatMap((path, n) => dialectIn(path, texts[n]!)), []);
});

Deno.test("architecture: a file's name says what it holds", async () => {
  const files = (await listSources(ROOT)).filter((path) =>
    /^(lib|routes|components|islands)\//.test(path)
  );
  assert(files.length > 500, "the walk must see the tree");
  const sources = await Promise.all(
    files.map(async (path) => ({ path, text: await Deno.readTextFile(`${ROOT}/${path}`) })),
  );
  assertEquals(wrongNames(sources), []);
});

Deno.test("wrongNames: each convention rejects its file", () => {
  const wrong = [
    ["lib/chat/helpers.ts", "export function openRun() {}"],
    ["lib/chat/openRun.ts", "export function openRun() {}"],
    ["lib/chat/patience_note.ts", "export class RetryPolicy {}"],
    ["routes/v1/Agents.ts", "export const handler = {};"],
    ["routes/v1/chat_stream.ts", "export const handler = {};"],
    ["components/Table.tsx", "export function List() {}"],
    ["islands/editor.tsx", "export function Editor() {}"],
  ] as const;
  for (const [path, text] of wrong) {
    assertEquals(wrongNames([{ path, text }]).length, 1, path);
  }
  const right = [
    ["lib/chat/open_run.ts", "export function openRun() {}"],
    ["lib/store/tx/retry_policy.ts", "export class RetryPolicy {}"],
    ["lib/chat/log/run_log.ts", "export interface RunFrame {}"],
    ["lib/chat/log/run_log_test.ts", ""],
    ["routes/widget.v1.[hash].js.ts", "export const handler = {};"],
    ["routes/(admin)/agents/[id]/_middleware.ts", "export default [];"],
    ["components/Table.tsx", "export function Table() {}"],
  ] as const;
  assertEquals(wrongNames(right.map(([path, text]) => ({ path, text }))), []);
});

Deno.test("docs: prose uses plain words", async () => {
  const pages = await listPages(ROOT);
  assert(pages.length > 50, "the walk must see the tree");
  const texts = await Promise.all(pages.map((path) => Deno.readTextFile(`${ROOT}/${path}`)));
  assertEquals(pages.flatMap((path, n) => dialectIn(path, texts[n]!)), []);
});

Deno.test("dialectIn: finds banned words in prose, and passes code, codes and standard terms", () => {
  const wrong = [
    "// The caller is told anew.",
    'throw new Error("whoever asked was refused");',
    'Deno.test("a fault is reported", () => {});',
    "const answer = new Patience();",
    "        Somebody is told about this",
  ];
  for (const line of wrong) assert(dialectIn("lib/a.ts", line).length > 0, line);
  const right = [
    'if ("refused" in result) return;',
    "const told = await vendors.ask(`${refusal}`);",
    "// Deno answers ECONNREFUSED: the connection was refused.",
    'href: "/operator/providers",',
  ];
  for (const line of right) assertEquals(dialectIn("lib/a.ts", line), [], line);
  const page = "Set `told` here.\n\n```js\nconst told = 1;\n```\n\nThe caller is told.\n";
  assertEquals(dialectIn("docs/a.md", page), ['docs/a.md:7: "told"']);
});

Deno.test("docs/architecture.md: names every room in order, and only paths that exist", async () => {
  const text = await Deno.readTextFile(`${ROOT}/docs/architecture.md`);
  const rooms = [...text.matchAll(/^\| `(\w+)\/` +\|/gm)].map(([, room]) => room);
  assertEquals(rooms, ROOMS);
  const paths = [...text.matchAll(/`((?:lib|routes|components|islands|widget|tests)\/[^`\s]+)`/g)];
  assert(paths.length > 20);
  for (const [, path] of paths) {
    assert(await Deno.stat(`${ROOT}/${path}`).then(() => true, () => false), path);
  }
});

Deno.test("architecture: every JSR import still resolves with links deleted", async () => {
  const imports = await importsOfAll();
  assertEquals(unpublishedImports(imports, manifest.imports), []);
  const links = "links" in manifest ? manifest.links as string[] : [];
  for (const folder of links) {
    const { name, exports } = JSON.parse(await Deno.readTextFile(`${ROOT}/${folder}/deno.json`));
    assertEquals(inventedExports(name, exports), []);
  }
});

Deno.test("architecture: only main uses the environment, KV and sockets, routes contain only routes, and tests do not sleep", async () => {
  const wrong: string[] = [];
  for (const path of await listSources(ROOT)) {
    wrong.push(...wrongSource(await readSource(ROOT, path)));
  }
  await stop();
  assertEquals(wrong, []);
});

Deno.test("readImports: finds a wrong edge with its line and kind", async () => {
  const root = await Deno.makeTempDir();
  try {
    await Deno.writeTextFile(`${root}/deno.json`, `{ "imports": { "@/": "./" } }`);
    for (const folder of ["agent", "store/keys"]) {
      await Deno.mkdir(`${root}/lib/${folder}`, { recursive: true });
    }
    await Deno.writeTextFile(
      `${root}/lib/store/keys/keys.ts`,
      "export interface Key {}\nexport const a = 1;\n",
    );
    await Deno.writeTextFile(
      `${root}/lib/agent/tool.ts`,
      `// import "../http/not_an_import.ts"\nimport type { Key } from "@/lib/store/keys/keys.ts";\n` +
        `export const key: Key = await import("../store/keys/keys.ts");\n`,
    );
    const imports = await readImports(root, await listSources(root));
    assertEquals(imports.map(({ to, typeOnly, line }) => ({ to, typeOnly, line })), [
      { to: "lib/store/keys/keys.ts", typeOnly: true, line: 2 },
      { to: "lib/store/keys/keys.ts", typeOnly: false, line: 3 },
    ]);
    const [first = ""] = wrongEdges(imports);
    assertStringIncludes(first, "lib/agent/tool.ts:2 imports types of @/lib/store/keys/keys.ts");
  } finally {
    await Deno.remove(root, { recursive: true });
  }
});

Deno.test("wrongEdges: each rule rejects its edge", () => {
  const zod = "npm:zod@4.6.7";
  const wrong = [
    edge("lib/chat/run.ts", "routes/v1/chat.ts"),
    edge("lib/billing/ledger.ts", "widget/main.tsx"),
    edge("lib/schemas/frames.ts", "lib/platform/log.ts"),
    edge("lib/schemas/frames.ts", "npm:preact@10.29.8"),
    edge("lib/agent/run_agent.ts", "lib/store/keys/keys.ts", { typeOnly: true }),
    edge("lib/agent/run_agent.ts", "lib/billing/ledger.ts"),
    edge("lib/store/keys/keys.ts", "lib/agent/run_agent.ts"),
    edge("lib/egress/egress.ts", "lib/agent/run_agent.ts", { typeOnly: true }),
    edge("lib/providers/model.ts", "lib/chat/run.ts"),
    edge("lib/providers/model.ts", "lib/store/keys/keys.ts"),
    edge("lib/chat/run.ts", "lib/http/cors.ts"),
    edge("lib/http/cors.ts", "lib/server/config/config.ts", { typeOnly: true }),
    edge("lib/new_room/file.ts", "lib/platform/log.ts"),
    edge("lib/stray.ts", "lib/platform/log.ts"),
    edge("lib/services/team.ts", "utils.ts", { typeOnly: true }),
    edge("routes/v1/agents.ts", "lib/store/keys/keys.ts"),
    edge("widget/main.tsx", "lib/platform/log.ts", { typeOnly: true }),
    edge("widget/main.tsx", "npm:@preact/signals@2.5.1"),
    edge("widget/main.tsx", zod),
    edge("packages/client/src/mod.ts", "lib/platform/log.ts", { typeOnly: true }),
    edge("packages/client/src/mod.ts", zod),
    edge("packages/react/src/mod.ts", "npm:preact@10.29.8"),
    edge("islands/Editor.tsx", "lib/http/cors.ts"),
    edge("islands/Editor.tsx", "jsr/fresh/src/mod.ts", { specifier: "fresh" }),
    edge("components/Table.tsx", "lib/store/keys/keys.ts"),
    edge("main.ts", "jsr/fresh/src/internal.ts", { specifier: "fresh/internal" }),
    edge("main.ts", "jsr/fresh/src/dev/mod.ts", { specifier: "fresh/dev" }),
    edge("lib/http/sse.ts", "jsr/std_http/mod.ts", { specifier: "@/jsr/std_http/mod.ts" }),
    edge("jsr/std_http/cookie.ts", "lib/platform/log.ts"),
  ];
  for (const one of wrong) assert(wrongEdges([one]).length > 0, `${one.from} -> ${one.to}`);
});

Deno.test("wrongEdges: allowed imports pass", () => {
  assertEquals(
    wrongEdges([
      edge("routes/v1/chat/stream.ts", "lib/http/cors.ts"),
      edge("routes/v1/chat/stream.ts", "lib/chat/run.ts"),
      edge("routes/v1/agents.ts", "lib/store/agents/agent_record.ts", { typeOnly: true }),
      edge("lib/chat/run.ts", "lib/agent/run_agent.ts"),
      edge("lib/chat/run.ts", "lib/store/keys/keys.ts"),
      edge("lib/agent/run_agent.ts", "lib/providers/model.ts"),
      edge("lib/agent/run_agent_test.ts", "lib/store/keys/keys.ts"),
      edge("packages/client/src/mod.ts", "widget/client/client.ts"),
      edge("packages/react/src/mod.ts", "npm:react@19.3.1"),
      edge("lib/http/api_handler.ts", "utils.ts", { typeOnly: true }),
      edge("lib/schemas/frames.ts", "npm:zod@4.6.7"),
      edge("widget/main.tsx", "npm:preact@10.29.8"),
      edge("widget/main.tsx", "lib/schemas/frames.ts", { typeOnly: true }),
      edge("islands/Editor.tsx", "jsr/fresh/src/runtime.ts", { specifier: "fresh/runtime" }),
      edge("islands/Editor.tsx", "lib/dashboard/format_amount.ts"),
      edge("islands/Editor.tsx", "components/Table.tsx"),
      edge("dev.ts", "jsr/fresh/src/dev/mod.ts", { specifier: "fresh/dev" }),
    ]),
    [],
  );
});

Deno.test("wrongEdges: neither zod nor server code reaches a browser through other files", () => {
  const schema = edge("lib/schemas/frames.ts", "npm:zod@4.6.7");
  const through = edge("lib/schemas/decoder.ts", "lib/schemas/frames.ts");
  const wrong = wrongEdges([edge("widget/chat.ts", "lib/schemas/decoder.ts"), through, schema]);
  assertEquals(wrong.length, 1);
  assertStringIncludes(wrong[0] ?? "", "widget/chat.ts:1");
  const types = edge("widget/chat.ts", "lib/schemas/decoder.ts", { typeOnly: true });
  assertEquals(wrongEdges([types, through, schema]), []);
  const behind = [
    edge("islands/Editor.tsx", "lib/dashboard/form.ts"),
    edge("lib/dashboard/form.ts", "lib/platform/log.ts"),
  ];
  assertEquals(wrongEdges(behind).length, 1);
});

Deno.test("importCircles: finds cycles of any length; type imports within one folder are not a cycle", () => {
  const types = { typeOnly: true };
  assertEquals(importCircles([edge("a.ts", "b.ts"), edge("b.ts", "c.ts"), edge("c.ts", "a.ts")]), [
    "c.ts -> a.ts -> b.ts -> c.ts",
  ]);
  assertEquals(importCircles([edge("x/a.ts", "x/b.ts"), edge("x/b.ts", "x/a.ts", types)]), []);
  const acrossFolders = [edge("x/a.ts", "y/b.ts"), edge("y/b.ts", "x/a.ts", types)];
  assertEquals(importCircles(acrossFolders).length, 1);
  assertEquals(
    importCircles([edge("a.ts", "b.ts"), edge("a.ts", "c.ts"), edge("b.ts", "c.ts")]),
    [],
  );
});

Deno.test("unpublishedImports: rejects a path that only a stand-in has", () => {
  const imports = [
    "@std/http/cookie",
    "@std/http/nothing",
    "fresh",
    "fresh/server",
    "jsr:@std/fs@1",
  ]
    .map((specifier) => edge("main.ts", specifier, { specifier }));
  assertEquals(unpublishedImports(imports, manifest.imports), [
    "main.ts:1 imports @std/http/nothing: @std/http has no published ./nothing",
    "main.ts:1 imports fresh/server: @fresh/core has no published ./server",
    "main.ts:1 imports jsr:@std/fs@1: @std/fs has no published .",
  ]);
  assertEquals(inventedExports("@std/http", { ".": "", "./own": "" }).length, 1);
});

Deno.test("wrongSource: each rule rejects its file, and comments, strings and locals pass", async () => {
  const sources: [path: string, text: string, wrong: boolean][] = [
    ["lib/a.ts", `export const a = Deno.env.get("A");`, true],
    ["lib/a.ts", `export const kv = await Deno.openKv();`, true],
    [
      "routes/a.ts",
      `export const handler = { GET: () => Deno.serve(() => new Response()) };`,
      true,
    ],
    ["lib/a.ts", `// Deno.env\nexport const a = "Deno.openKv()";`, false],
    ["lib/a_test.ts", `await Deno.openKv(":memory:");`, false],
    ["main.ts", `Deno.serve(() => new Response());`, false],
    ["lib/a.ts", "\n".repeat(301), true],
    ["lib/a.ts", "// Long because it is a table.\n" + "\n".repeat(301), false],
    ["routes/_helper.ts", `export const handler = 1;`, true],
    [
      "routes/(admin)/_middleware.ts",
      `export default define.middleware((ctx) => ctx.next());`,
      false,
    ],
    ["routes/format.ts", `export function format() {}`, true],
    ["routes/v1/agents.ts", `export const handler = define.handlers({});`, false],
    ["routes/page.tsx", `export default function Page() { return <p>Hi</p>; }`, false],
    ["lib/a_test.ts", `await new Promise((done) => setTimeout(done, 50));`, true],
    ["lib/a_test.ts", `await delay(50);`, true],
    ["lib/a_test.ts", `const setTimeout = fake(); setTimeout(1); clock.delay(5);`, false],
    ["lib/a_test.ts", `Deno.env.set("A", "1");`, true],
    ["lib/a.ts", `Deno.env.set("A", "1");`, true],
    ["lib/a_test.ts", `const { rss } = Deno.memoryUsage();`, true],
    ["lib/a_test.ts", `import { serveControlSocket } from "./b.ts"; serveControlSocket({});`, true],
    ["lib/a_alone_test.ts", `Deno.umask(0o177);`, false],
  ];
  const verdicts = [];
  for (const [path, text] of sources) {
    verdicts.push(wrongSource(await toSource(path, text)).length > 0);
  }
  await stop();
  assertEquals(verdicts, sources.map(([, , wrong]) => wrong));
  assertArrayIncludes(verdicts, [true, false]);
});
