import { assertEquals, assertThrows } from "@std/assert";
import { App } from "./app.ts";
import { HttpError } from "./http_error.ts";
import type { Middleware } from "./middleware.ts";

interface State {
  trail: string;
}

function ask(app: App<State>, path: string, init: RequestInit = {}): Promise<Response> {
  return app.handler()(new Request(`http://localhost${path}`, init));
}

async function textOf(app: App<State>, path: string, init: RequestInit = {}): Promise<string> {
  const res = await ask(app, path, init);
  return `${res.status} ${await res.text()}`;
}

/** Leaves its mark in the state, for `showTrail` to answer with. */
function mark(name: string): Middleware<State> {
  return (ctx) => {
    ctx.state.trail = (ctx.state.trail ?? "") + name;
    return ctx.next();
  };
}

const showTrail: Middleware<State> = (ctx) => ctx.text(ctx.state.trail ?? "-");
const ok: Middleware<State> = (ctx) => ctx.text("ok");

Deno.test("App.config has its defaults", () => {
  assertEquals(new App().config, {
    root: ".",
    basePath: "",
    mode: "production",
    trustProxy: false,
  });
});

Deno.test("earlier handlers of a route may pass on with ctx.next() (probed)", async () => {
  const app = new App<State>().get("/", mark("a"), mark("b"), showTrail);
  assertEquals(await textOf(app, "/"), "200 ab");
});

Deno.test("a literal path wins over a pattern, and patterns go in order of registration", async () => {
  const app = new App<State>()
    .get("/x/:first", (ctx) => ctx.text(`first ${ctx.params.first}`))
    .get("/x/:second", (ctx) => ctx.text("second"))
    .get("/x/literal", (ctx) => ctx.text("literal"));
  assertEquals(await textOf(app, "/x/literal"), "200 literal");
  assertEquals(await textOf(app, "/x/other"), "200 first other");
});

Deno.test("the first registration of a verb and path wins", async () => {
  const app = new App<State>().get("/", ok).get("/", (ctx) => ctx.text("second"));
  assertEquals(await textOf(app, "/"), "200 ok");
});

Deno.test("a literal path matches with and without a slash at its end, a pattern does not (probed)", async () => {
  const app = new App<State>().get("/g/x", ok).get("/g/:id", ok).get("/slash/", ok);
  assertEquals((await ask(app, "/g/x/")).status, 200);
  assertEquals((await ask(app, "/slash")).status, 200);
  assertEquals((await ask(app, "/g/1/")).status, 404);
});

Deno.test("runs of slashes collapse before matching (probed)", async () => {
  const app = new App<State>().get("/a/b", (ctx) => ctx.text(ctx.url.pathname));
  assertEquals(await textOf(app, "//a///b"), "200 /a/b");
});

Deno.test("HEAD falls back to GET and has no body", async () => {
  const res = await ask(new App<State>().get("/", ok), "/", { method: "HEAD" });
  assertEquals([res.status, await res.text()], [200, ""]);
});

Deno.test("a known path with the wrong verb is 405, an unknown one 404", async () => {
  const app = new App<State>().get("/a", ok);
  assertEquals(await textOf(app, "/a", { method: "POST" }), "405 Method Not Allowed");
  assertEquals(await textOf(app, "/b", { method: "POST" }), "404 Not Found");
});

Deno.test("OPTIONS on a known path without a handler is 204 with Allow (probed)", async () => {
  const app = new App<State>().get("/a", ok).post("/a", ok).post("/p/:id", ok);
  const literal = await ask(app, "/a", { method: "OPTIONS" });
  assertEquals([literal.status, literal.headers.get("Allow")], [204, "GET, POST"]);
  const pattern = await ask(app, "/p/1", { method: "OPTIONS" });
  assertEquals([pattern.status, pattern.headers.get("Allow")], [204, "POST"]);
});

Deno.test("parameters are decoded except %2F (probed), and an empty rest is an empty string", async () => {
  const app = new App<State>()
    .get("/p/:id", (ctx) => ctx.text(ctx.params.id ?? "?"))
    .get("/rest/:p*", (ctx) => ctx.json(ctx.params));
  assertEquals(await textOf(app, "/p/a%2Fb%20c"), "200 a%2Fb c");
  assertEquals(await textOf(app, "/p/%zz"), "200 %zz");
  assertEquals(await textOf(app, "/rest"), '200 {"p":""}');
  assertEquals(await textOf(app, "/rest/a/b"), '200 {"p":"a/b"}');
});

Deno.test("ctx.route is the pattern that matched, and null when none did", async () => {
  const seen: (string | null)[] = [];
  const app = new App<State>()
    .use((ctx) => {
      seen.push(ctx.route);
      return ctx.next();
    })
    .get("/x/:id", ok);
  for (const path of ["/x/1", "/nothing"]) await ask(app, path);
  assertEquals(seen, ["/x/:id", null]);
});

Deno.test("a middleware does not touch the routes before it (probed)", async () => {
  const app = new App<State>().get("/before", showTrail).use(mark("a")).get("/after", showTrail);
  assertEquals(await textOf(app, "/before"), "200 -");
  assertEquals(await textOf(app, "/after"), "200 a");
});

Deno.test("use(path) covers the path and everything below it, and no other", async () => {
  const app = new App<State>().use("/api", mark("a")).get("/api", showTrail)
    .get("/api/x/y", showTrail).get("/apix", showTrail);
  assertEquals(await textOf(app, "/api"), "200 a");
  assertEquals(await textOf(app, "/api/x/y"), "200 a");
  assertEquals(await textOf(app, "/apix"), "200 -");
});

Deno.test("use with a star covers only a literal star (probed)", async () => {
  const app = new App<State>().use("/api/*", mark("a")).get("/api/x", showTrail);
  assertEquals(await textOf(app, "/api/x"), "200 -");
});

Deno.test("what matches no route runs root middlewares only (probed)", async () => {
  const ran: string[] = [];
  const note = (name: string): Middleware<State> => (ctx) => {
    ran.push(name);
    return ctx.next();
  };
  const app = new App<State>().use(note("root")).use("/api", note("api")).get("/api/x", ok);
  assertEquals((await ask(app, "/api/unknown")).status, 404);
  assertEquals((await ask(app, "/api/x", { method: "POST" })).status, 405);
  assertEquals(ran, ["root", "root"]);
});

Deno.test("root middlewares after all routes still see what matches none", async () => {
  const app = new App<State>().get("/", ok).use((ctx) => ctx.text("caught"));
  assertEquals(await textOf(app, "/nope"), "200 caught");
});

Deno.test("a middleware on a path never sees OPTIONS of a code route, at the root it does (probed)", async () => {
  const preflight: Middleware<State> = (ctx) =>
    ctx.req.method === "OPTIONS" ? ctx.text("seen") : ctx.next();
  const scoped = new App<State>().use("/api", preflight).get("/api/x", ok);
  const res = await ask(scoped, "/api/x", { method: "OPTIONS" });
  assertEquals([res.status, res.headers.get("Allow")], [204, "GET"]);
  const root = new App<State>().use(preflight).get("/api/x", ok);
  assertEquals(await textOf(root, "/api/x", { method: "OPTIONS" }), "200 seen");
});

Deno.test("the innermost onError handles, and none of another path (probed)", async () => {
  const fail: Middleware<State> = () => {
    throw new HttpError(418, "tea");
  };
  const app = new App<State>()
    .onError(
      "*",
      (ctx) => ctx.text(`root ${(ctx.error as Error | null)?.message}`, { status: 500 }),
    )
    .onError("/api", (ctx) => ctx.text("api", { status: 500 }))
    .get("/api/x", fail)
    .get("/other", fail);
  assertEquals(await textOf(app, "/api/x"), "500 api");
  assertEquals(await textOf(app, "/other"), "500 root tea");
  assertEquals((await textOf(app, "/api/unknown")).slice(0, 8), "500 root");
});

Deno.test("notFound answers thrown 404s too; ctx.error is null for a bare unmatched URL (probed)", async () => {
  const notFound: Middleware<State> = (ctx) =>
    ctx.text(ctx.error === null ? "null" : String((ctx.error as Error).name), { status: 404 });
  const bare = new App<State>().notFound(notFound).get("/x", () => {
    throw new HttpError(404);
  });
  assertEquals(await textOf(bare, "/nope"), "404 null");
  assertEquals(await textOf(bare, "/x"), "404 HttpError");
  const guarded = new App<State>().use(mark("a")).notFound(notFound);
  assertEquals(await textOf(guarded, "/nope"), "404 HttpError");
});

Deno.test("an unhandled HttpError gives its status and message, or the status text", async () => {
  const app = new App<State>()
    .get("/a", () => {
      throw new HttpError(403, "not you");
    })
    .get("/b", () => {
      throw new HttpError(410);
    });
  assertEquals(await textOf(app, "/a"), "403 not you");
  assertEquals(await textOf(app, "/b"), "410 Gone");
});

Deno.test("any other error, or an answer that is no Response, is a logged 500", async () => {
  const app = new App<State>()
    .get("/a", () => {
      throw new Error("private");
    })
    .get("/b", () => "text" as unknown as Response);
  const { error } = console;
  const logged: unknown[] = [];
  console.error = (...args: unknown[]) => logged.push(...args);
  try {
    assertEquals(await textOf(app, "/a"), "500 Internal server error");
    assertEquals(await textOf(app, "/b"), "500 Internal server error");
  } finally {
    console.error = error;
  }
  assertEquals(logged.length, 2);
});

Deno.test("HttpError has an empty message and a cause only when they are given", () => {
  const cause = new Error("why");
  const error = new HttpError(400, undefined, { cause });
  assertEquals([error.status, error.message, error.name], [400, "", "HttpError"]);
  assertEquals(error.cause, cause);
});

Deno.test("each request has its own state", async () => {
  const handler = new App<State>().get("/", mark("a"), showTrail).handler();
  for (let i = 0; i < 2; i++) {
    assertEquals(await (await handler(new Request("http://localhost/"))).text(), "a");
  }
});

Deno.test("fsRoutes without a build registers nothing (probed)", async () => {
  assertEquals((await ask(new App<State>().fsRoutes(), "/")).status, 404);
});

Deno.test("what an App leaves out throws", () => {
  const app = new App<State>();
  const unsupported = [
    () => app.appWrapper(() => null),
    () => app.layout("/", () => null),
    () => app.mountApp("/", app),
    () => app.route("/", {}),
    () => app.ws("/", {}),
    () => app.fsRoutes("/docs"),
    () => new App({ basePath: "/docs" }),
    () => new App({ trustProxy: true }),
  ];
  for (const use of unsupported) assertThrows(use, Error, "not in this build");
});
