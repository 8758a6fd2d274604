import { assertEquals, assertRejects, assertStringIncludes, assertThrows } from "@std/assert";
import { App } from "./app.ts";
import { Builder } from "./dev/builder.ts";
import type { RequestHandler } from "./listen.ts";
import { tempProject } from "./testing/temp_project.ts";

const FILES = {
  "routes/_app.tsx": `export default ({ Component }) =>
    <html><head><title>t</title></head><body>[<Component />]</body></html>;`,
  "routes/_middleware.ts": `export default [
    (ctx) => { ctx.state.trail = "root"; return ctx.next(); },
    (ctx) => { ctx.state.trail += ">"; return ctx.next(); },
  ];`,
  "routes/_404.tsx": `export const handler = () => ({ data: {}, status: 404 });
    export default ({ error }) => <p>lost {String(error?.status)}</p>;`,
  "routes/_error.tsx": `export default ({ error }) => <p>failed {error.message}</p>;`,
  "routes/index.tsx": `export default ({ data }) => <p>home {JSON.stringify(data)}</p>;`,
  "routes/index_test.ts": `throw new Error("a test is no route");`,
  "routes/verbs.ts": `export const handler = {
    GET: () => new Response("get"), POST: () => new Response("post") };`,
  "routes/any.ts": `export const handlers = (ctx) => new Response(ctx.req.method);`,
  "routes/widget.v1.js.ts": `export const handler = () => new Response("js");`,
  "routes/v1/agents/[id].ts": `export const handler = { GET: (ctx) => ctx.json(ctx.params) };`,
  "routes/v1/agents/index.ts": `export const handler = () => new Response("list");`,
  "routes/v1/[...rest].ts":
    `export const handler = (ctx) => new Response("rest " + ctx.params.rest);`,
  "routes/(admin)/_middleware.ts": `export const handler = (ctx) => {
    ctx.state.trail += "admin"; return ctx.next(); };`,
  "routes/(admin)/_layout.tsx": `export default async ({ Component, state }) =>
    <main>{state.trail}<Component /></main>;`,
  "routes/(admin)/users.tsx": `
    export const handler = { GET: () => ({ data: { n: 1 }, status: 202, headers: { "x-n": "1" } }) };
    export default async ({ data }) => <p>users {data.n}</p>;`,
  "routes/(admin)/bare.tsx": `
    export const config = { skipInheritedLayouts: true, skipAppWrapper: true };
    export default () => <p>bare</p>;`,
  "routes/(admin)/away.tsx": `export default async () => new Response("instead");`,
  "routes/(admin)/broken.tsx": `export default () => { throw new Error("page"); };`,
  "routes/api/_error.ts":
    `export const handler = (ctx) => ctx.json({ e: ctx.error.message }, { status: 500 });`,
  "routes/api/fail.ts": `export const handler = { GET() { throw new Error("api"); } };`,
  "routes/api/gone.ts": `import { HttpError } from "fresh";
    export const handler = { GET() { throw new HttpError(404); } };`,
  "routes/(_helpers)/helper.ts": `export const handler = () => new Response("never");`,
};

async function withFiles(
  files: Record<string, string>,
  use: (handler: RequestHandler) => Promise<void>,
): Promise<void> {
  await using project = await tempProject(files);
  const apply = await new Builder({ root: project.root }).build({ snapshot: "memory" });
  const app = new App<unknown>().fsRoutes();
  apply(app);
  await use(app.handler());
}

Deno.test("route files", async (t) => {
  await withFiles(FILES, async (handler) => {
    const ask = (path: string, method = "GET") =>
      handler(new Request(`http://localhost${path}`, { method }));
    const textOf = async (path: string, method = "GET") => {
      const res = await ask(path, method);
      return `${res.status} ${
        (await res.text()).replace(/^<!DOCTYPE html>.*<body>|<\/body>.*$/g, "")
      }`;
    };

    await t.step(
      "a page without a handler gets an empty object, and answers POST (probed)",
      async () => {
        assertEquals(await textOf("/"), "200 [<p>home {}</p>]");
        assertEquals(await textOf("/", "POST"), "200 [<p>home {}</p>]");
      },
    );

    await t.step("a missing verb is 404, OPTIONS too (probed)", async () => {
      assertEquals(await textOf("/verbs"), "200 get");
      assertEquals(await textOf("/verbs", "POST"), "200 post");
      assertEquals((await ask("/verbs", "PUT")).status, 404);
      assertEquals((await ask("/verbs", "OPTIONS")).status, 404);
      assertEquals((await ask("/verbs", "HEAD")).status, 200);
    });

    await t.step("one function answers all verbs", async () => {
      for (const method of ["GET", "PUT", "OPTIONS"]) {
        assertEquals(await textOf("/any", method), `200 ${method}`);
      }
    });

    await t.step("dots, parameters and rests work as names", async () => {
      assertEquals(await textOf("/widget.v1.js"), "200 js");
      assertEquals(await textOf("/v1/agents/a%2Fb"), '200 {"id":"a%2Fb"}');
      assertEquals(await textOf("/v1/agents"), "200 list");
      assertEquals(await textOf("/v1/x/y"), "200 rest x/y");
    });

    await t.step("a group has its own middleware and layout and is not in the URL", async () => {
      assertEquals(await textOf("/users"), "202 [<main>root>admin<p>users 1</p></main>]");
      assertEquals((await ask("/users")).headers.get("x-n"), "1");
      assertEquals((await ask("/(admin)/users")).status, 404);
      assertEquals(await textOf("/bare"), "200 <p>bare</p>");
    });

    await t.step("an async page may answer with a Response", async () => {
      assertEquals(await textOf("/away"), "200 instead");
    });

    await t.step("the nearest error file answers, and a page has the error's status", async () => {
      assertEquals(await textOf("/api/fail"), '500 {"e":"api"}');
      assertEquals(await textOf("/broken"), "500 [<p>failed page</p>]");
    });

    await t.step("_404 answers unknown paths and thrown 404s", async () => {
      assertStringIncludes(await textOf("/nope"), "[<p>lost 404</p>]");
      assertStringIncludes(await textOf("/api/gone"), "[<p>lost 404</p>]");
    });

    await t.step("folders named (_x) hold no routes", async () => {
      assertStringIncludes(await textOf("/helper"), "lost");
    });
  });
});

Deno.test("a _404 page without a handler is 200: it has to set its own status", async () => {
  await withFiles({ "routes/_404.tsx": `export default () => <p>lost</p>;` }, async (handler) => {
    const res = await handler(new Request("http://localhost/nope"));
    assertEquals(res.status, 200);
    assertStringIncludes(await res.text(), "lost");
  });
});

Deno.test("a module without usable exports is rejected when it is loaded", async () => {
  await using project = await tempProject({ "routes/_layout.tsx": `export const x = 1;` });
  const apply = await new Builder({ root: project.root }).build({ snapshot: "memory" });
  const app = new App<unknown>().fsRoutes();
  apply(app);
  await assertRejects(() => Promise.resolve().then(() => app.handler()), Error, "routes/_layout");
});

Deno.test("a middleware on a path sees OPTIONS of a file route (probed)", async () => {
  await using project = await tempProject({
    "routes/v1/chat.ts": `export const handler = { POST: () => new Response("ok") };`,
  });
  const apply = await new Builder({ root: project.root }).build({ snapshot: "memory" });
  const app = new App<unknown>().use("/v1", (ctx) => ctx.text(ctx.req.method)).fsRoutes();
  apply(app);
  const res = await app.handler()(new Request("http://localhost/v1/chat", { method: "OPTIONS" }));
  assertEquals(await res.text(), "OPTIONS");
});

Deno.test("routeOverride fails the build", async () => {
  await using project = await tempProject({
    "routes/a.ts": `export const config = { routeOverride: "/b" };`,
  });
  const builder = new Builder({ root: project.root });
  await assertRejects(() => builder.build({ snapshot: "memory" }), Error, "not in this build");
});

Deno.test("other settings of a route file are not in this build", async () => {
  for (const text of ["export const css = [];", "export const config = { methods: [] };"]) {
    await using project = await tempProject({
      "routes/_layout.tsx": `${text} export default () => <p />;`,
    });
    const apply = await new Builder({ root: project.root }).build({ snapshot: "memory" });
    const app = new App<unknown>().fsRoutes();
    apply(app);
    assertThrows(() => app.handler(), Error, "not in this build");
  }
});
