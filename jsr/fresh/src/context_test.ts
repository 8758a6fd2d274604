import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import { App } from "./app.ts";
import type { Middleware } from "./middlewares/mod.ts";

function run(handler: Middleware<unknown>, path = "/"): Promise<Response> {
  return new App<unknown>().get("*", handler).handler()(new Request(`http://localhost${path}`));
}

Deno.test("ctx.redirect keeps a rooted path on the site and lets full URLs pass", async () => {
  const cases = [
    ["/a", "/a"],
    ["//evil.example/x", "/evil.example/x"],
    ["/a//b?next=//c", "/a/b?next=//c"],
    ["https://other.example//x", "https://other.example//x"],
  ];
  for (const [to = "", location] of cases) {
    const res = await run((ctx) => ctx.redirect(to));
    assertEquals([res.status, res.headers.get("location")], [302, location]);
  }
  assertEquals((await run((ctx) => ctx.redirect("/a", 303))).status, 303);
});

Deno.test("ctx.redirect carries fresh-partial on, before the hash (probed)", async () => {
  const res = await run((ctx) => ctx.redirect("/a?b=1#c"), "/?fresh-partial=true");
  assertEquals(res.headers.get("location"), "/a?b=1&fresh-partial=true#c");
});

Deno.test("ctx.stream sends events as they come, with the content type it is given (probed)", async () => {
  const res = await run((ctx) =>
    ctx.stream(
      async function* () {
        yield "data: 1\n\n";
        yield await Promise.resolve(new TextEncoder().encode("data: 2\n\n"));
      } as () => AsyncIterable<string | Uint8Array>,
      { headers: { "content-type": "text/event-stream" } },
    )
  );
  assertEquals(res.headers.get("content-type"), "text/event-stream");
  assertEquals(await res.text(), "data: 1\n\ndata: 2\n\n");
});

Deno.test("ctx.stream runs the generator's finally when the client is gone", async () => {
  const cleaned = Promise.withResolvers<void>();
  const res = await run((ctx) =>
    ctx.stream(function* () {
      try {
        for (let i = 0;; i++) yield `${i}`;
      } finally {
        cleaned.resolve();
      }
    })
  );
  assertEquals(res.headers.get("content-type"), null);
  const reader = res.body!.getReader();
  await reader.read();
  await reader.cancel();
  await cleaned.promise;
});

Deno.test("ctx.text, ctx.html and ctx.json answer with their content types", async () => {
  const types = [
    (await run((ctx) => ctx.text("a"))).headers.get("content-type"),
    (await run((ctx) => ctx.html("a"))).headers.get("content-type"),
    (await run((ctx) => ctx.json({}))).headers.get("content-type"),
  ];
  assertEquals(types, ["text/plain;charset=UTF-8", "text/html; charset=utf-8", "application/json"]);
});

Deno.test("headers of the app's own answers can be changed after next()", async () => {
  const app = new App<unknown>()
    .use(async (ctx) => {
      const res = await ctx.next();
      res.headers.set("x-after", "1");
      return res;
    })
    .get("/", (ctx) => ctx.json({}));
  const res = await app.handler()(new Request("http://localhost/"));
  assertEquals(res.headers.get("x-after"), "1");
});

Deno.test("ctx.render refuses no argument and what is not JSX; null is an empty page", async () => {
  const res = await run(async (ctx) => {
    await assertRejects(() => (ctx.render as () => Promise<Response>)());
    await assertRejects(() => ctx.render("text" as never));
    return ctx.render(null);
  });
  assertEquals(
    await res.text(),
    '<!DOCTYPE html><html><head><meta charset="utf-8"/></head><body></body></html>',
  );
});

Deno.test("ctx.upgrade is not in this build", async () => {
  await run((ctx) => {
    assertThrows(() => ctx.upgrade(), Error, "not in this build");
    return ctx.text("");
  });
});
