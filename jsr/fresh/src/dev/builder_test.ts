import {
  assert,
  assertEquals,
  assertRejects,
  assertStringIncludes,
  assertThrows,
} from "@std/assert";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { App } from "../app.ts";
import { staticFiles } from "../middlewares/static_files.ts";
import { tempProject } from "../testing/temp_project.ts";
import { Builder } from "./builder.ts";
import { contentTypeOf } from "./content_type.ts";
import { mapSpecifier } from "./import_map.ts";

const FILES = {
  "main.ts": `import { App, staticFiles } from "fresh";
    export const app = new App().use(staticFiles()).fsRoutes();`,
  "routes/index.tsx": `import Counter from "../islands/Counter.tsx";
    import { Local } from "./(_islands)/Local.tsx";
    export default () => <p><Counter /><Local /></p>;`,
  "routes/plain.ts": `export const handler = () => new Response("plain");`,
  "routes/(_islands)/Local.tsx": `import { signal } from "@preact/signals";
    const n = signal(0);
    export function Local() { return <i>{n}</i>; }`,
  "islands/Counter.tsx": `import { useSignal } from "@preact/signals";
    import { asset, IS_BROWSER } from "fresh/runtime";
    export default function Counter() {
      const n = useSignal(0);
      return <b title={asset("/x")}>{IS_BROWSER ? 1 : 0}{n}</b>;
    }`,
  "static/a.txt": "alpha",
  "static/.hidden": "secret",
  "static/.well-known/x.txt": "known",
};

type Fetch = (req: Request) => Promise<Response>;

function getter(fetch: Fetch) {
  return (path: string, init: RequestInit = {}) =>
    fetch(new Request(`http://localhost${path}`, init));
}

Deno.test("a memory build serves pages, islands and static files", async () => {
  await using project = await tempProject(FILES);
  const apply = await new Builder({ root: project.root }).build({ snapshot: "memory" });
  const app = new App<unknown>().use(staticFiles()).fsRoutes();
  apply(app);
  const get = getter(app.handler());

  const html = await (await get("/")).text();
  assertStringIncludes(html, "<!--frsh:island:Counter:0-->");
  assertStringIncludes(html, "<!--frsh:island:Local:1-->");
  const scripts = [...html.matchAll(/from "(\/_fresh\/js\/\w+\/[\w-]+\.js)"/g)].map((m) => m[1]!);
  assertEquals(scripts.length, 3);
  for (const path of scripts) {
    const res = await get(path);
    assertEquals(res.headers.get("Content-Type"), "text/javascript; charset=UTF-8");
    assertEquals(res.headers.get("Cache-Control"), "public, max-age=31536000, immutable");
    await res.body?.cancel();
  }
  assertEquals(await (await get("/a.txt")).text(), "alpha");
  assertEquals(await (await get("/.well-known/x.txt")).text(), "known");
  const absent = ["/.hidden", "/..%2fmain.ts", "/%2e%2e%2fmain.ts", "/nope", "/a%00.txt"];
  for (const path of [...absent, `/${"n".repeat(300)}`, `/${"n".repeat(5_000)}`]) {
    assertEquals((await get(path)).status, 404, path.slice(0, 20));
  }
});

Deno.test("islands share one copy of preact and of signals", async () => {
  await using project = await tempProject(FILES);
  const log = console.log;
  console.log = () => {};
  try {
    await new Builder({ root: project.root }).build();
  } finally {
    console.log = log;
  }
  const [id] = [...Deno.readDirSync(join(project.root, "_fresh/static/_fresh/js"))];
  const dir = join(project.root, "_fresh/static/_fresh/js", id!.name);
  const sources = [...Deno.readDirSync(dir)].map(({ name }) =>
    Deno.readTextFileSync(join(dir, name))
  );
  // Each of these texts is in one file of its library only.
  for (const text of ["Cycle detected", "http://www.w3.org/2000/svg"]) {
    assertEquals(sources.filter((source) => source.includes(text)).length, 1, text);
  }
  assert(sources.every((text) => !text.includes("Deno.")));
});

Deno.test("several apps of one process each have their own build", async () => {
  const build = async (text: string) => {
    await using project = await tempProject({
      "routes/index.ts": `export const handler = () => new Response("${text}");`,
    });
    const apply = await new Builder({ root: project.root }).build({ snapshot: "memory" });
    const app = new App<unknown>().fsRoutes();
    apply(app);
    const get = getter(app.handler());
    await (await get("/")).body?.cancel();
    return get;
  };
  const [one, two] = await Promise.all([build("one"), build("two")]);
  assertEquals(await (await one("/")).text(), "one");
  assertEquals(await (await two("/")).text(), "two");
});

Deno.test("a development build adds the reload script to every page and caches nothing", async () => {
  await using project = await tempProject({
    "routes/index.tsx": `export default () => <p>hi</p>;`,
  });
  const builder = new Builder({ root: project.root });
  const apply = await builder.build({ snapshot: "memory", mode: "development" });
  const app = new App<unknown>({ mode: "development" }).use(staticFiles()).fsRoutes();
  apply(app);
  const get = getter(app.handler());
  const entry = (await (await get("/")).text()).match(/from "(.*?)"/)![1]!;
  const res = await get(entry);
  assertEquals(res.headers.get("Cache-Control"), "no-cache, no-store, max-age=0, must-revalidate");
  assertStringIncludes(await res.text(), "/_frsh/alive");
});

Deno.test("a disk build can be served from _fresh/server.js", async (t) => {
  await using project = await tempProject(FILES);
  const log = console.log;
  const logged: string[] = [];
  console.log = (text: string) => logged.push(text);
  try {
    await new Builder({ root: project.root }).build();
  } finally {
    console.log = log;
  }
  assertEquals(logged, [`Assets written to: ${join(project.root, "_fresh")}`]);
  const url = pathToFileURL(join(project.root, "_fresh/server.js")).href;
  const server: { default: { fetch: Fetch } } = await import(url);
  const get = getter(server.default.fetch);
  const key = (await (await get("/")).text()).match(/_fresh\/js\/(\w+)\//)![1]!;

  await t.step("it answers with pages and routes", async () => {
    assertStringIncludes(await (await get("/")).text(), "<!--frsh:island:Counter:0-->");
    assertEquals(await (await get("/plain")).text(), "plain");
  });

  await t.step("static files have a weak ETag and answer 304 to it", async () => {
    const first = await get("/a.txt");
    const etag = first.headers.get("ETag")!;
    assertEquals(await first.text(), "alpha");
    assertEquals(first.headers.get("Content-Type"), "text/plain; charset=UTF-8");
    assertEquals(first.headers.get("Content-Length"), "5");
    assert(etag.startsWith('W/"'));
    const again = await get("/a.txt", { headers: { "If-None-Match": etag } });
    assertEquals([again.status, again.body], [304, null]);
  });

  await t.step(
    "a file is immutable under the right key, and a wrong key is redirected",
    async () => {
      const right = await get(`/a.txt?__frsh_c=${key}`);
      assertEquals(right.headers.get("Cache-Control"), "public, max-age=31536000, immutable");
      await right.body?.cancel();
      const wrong = await get("/a.txt?x=1&__frsh_c=old");
      assertEquals([wrong.status, wrong.headers.get("location")], [307, "/a.txt?x=1"]);
    },
  );

  await t.step("static files take GET and HEAD only", async () => {
    const head = await get("/a.txt", { method: "HEAD" });
    assertEquals([head.status, head.headers.get("Content-Length"), head.body], [200, "5", null]);
    assertEquals((await get("/a.txt", { method: "POST" })).status, 405);
  });

  await t.step("a missing favicon is a bare 404, and hidden files are not served", async () => {
    const favicon = await get("/favicon.ico");
    assertEquals([favicon.status, await favicon.text()], [404, ""]);
    assertEquals((await get("/.hidden")).status, 404);
    assertEquals(await (await get("/.well-known/x.txt")).text(), "known");
  });
});

Deno.test("an island that imports the server side fails the build", async () => {
  await using project = await tempProject({
    "islands/Bad.tsx": `import { page } from "fresh"; export default () => <p>{String(page)}</p>;`,
  });
  const builder = new Builder({ root: project.root });
  await assertRejects(() => builder.build({ snapshot: "memory" }), Error, "but not fresh");
});

Deno.test("an island that reads a FRESH_PUBLIC_ variable fails the build", async () => {
  await using project = await tempProject({
    "islands/Bad.tsx": `export default () => <p>{Deno.env.get("FRESH_PUBLIC_NAME")}</p>;`,
  });
  const builder = new Builder({ root: project.root });
  const build = () => builder.build({ snapshot: "memory" });
  await assertRejects(build, Error, "FRESH_PUBLIC_NAME in Bad.js is not in this build");
});

Deno.test("contentTypeOf: the published types, with a charset for text", () => {
  const types = [
    ["a.css", "text/css; charset=UTF-8"],
    ["a.js", "text/javascript; charset=UTF-8"],
    ["a.JSON", "application/json; charset=UTF-8"],
    ["favicon.ico", "image/vnd.microsoft.icon"],
    ["a.svg", "image/svg+xml"],
    ["a.woff2", "font/woff2"],
    ["a.wasm", "application/wasm"],
    ["LICENSE", "text/plain"],
  ] as const;
  for (const [path, type] of types) assertEquals(contentTypeOf(path), type);
});

Deno.test("mapSpecifier follows the import map of the project", () => {
  const project = {
    dir: "/p",
    jsxImportSource: "preact",
    imports: {
      "@/": "./",
      "preact": "npm:preact@10.29.8",
      "@preact/signals": "npm:@preact/signals@^2.5.1",
      "@std/http": "jsr:@std/http@^1.0.0",
    },
  };
  assertEquals(mapSpecifier("@/lib/schemas/mod.ts", project), "/p/lib/schemas/mod.ts");
  assertEquals(mapSpecifier("preact", project), "preact");
  assertEquals(mapSpecifier("preact/hooks", project), "preact/hooks");
  assertEquals(mapSpecifier("@preact/signals", project), "@preact/signals");
  assertEquals(mapSpecifier("npm:zod@4/mini", project), "zod/mini");
  assertEquals(mapSpecifier("unknown", project), null);
  assertThrows(() => mapSpecifier("@std/http/status", project), Error, "JSR");
});

Deno.test("Builder takes a root, and what it leaves out throws", () => {
  const builder = new Builder({ root: "/p" });
  assertEquals(builder.config, { root: "/p", outDir: "/p/_fresh" });
  const unsupported = [
    () => builder.onTransformStaticFile(),
    () => builder.registerIsland(),
    () => new Builder({ outDir: "out" } as object),
  ];
  for (const use of unsupported) assertThrows(use, Error, "not in this build");
});
