import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import { App } from "./app.ts";
import type { Middleware } from "./middleware.ts";

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

Deno.test("ctx.render rejects values that are not JSX; null is an empty page", async () => {
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

Deno.test("ctx.upgrade and ctx.stream are not in this build", async () => {
  await run((ctx) => {
    assertThrows(() => ctx.upgrade(), Error, "not in this build");
    assertThrows(() => ctx.stream([]), Error, "not in this build");
    return ctx.text("");
  });
});
