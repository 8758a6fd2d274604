import { startBrowser, withBrowser, withPage } from "./browser.ts";
import { findChromium } from "./chromium.ts";
import { packagedChromium } from "./chromium_package.ts";
import { assertEquals, assertRejects, assertStringIncludes } from "@std/assert";

/** Serves one document on a free port of 127.0.0.1 while `use` runs. */
async function withDocument(html: string, use: (baseUrl: string) => Promise<void>): Promise<void> {
  const headers = { "content-type": "text/html; charset=utf-8" };
  await using server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    () => new Response(html, { headers }),
  );
  await use(`http://127.0.0.1:${server.addr.port}`);
}

Deno.test("withPage: a page served on this machine opens and its title is read", async () => {
  await withDocument("<!doctype html><title>Hello</title>", async (baseUrl) => {
    await withPage({ baseUrl }, async (page) => {
      await page.goto("/");
      assertEquals(await page.title(), "Hello");
    });
  });
});

Deno.test("withPage: size, colour scheme and console are the test's", async () => {
  const html = `<!doctype html><link rel="icon" href="data:,"><script>
    console.log(innerWidth, matchMedia("(prefers-color-scheme: dark)").matches);
    throw new Error("uncaught");
  </script>`;
  await withDocument(html, async (baseUrl) => {
    await withPage({ baseUrl, width: 390, colorScheme: "dark" }, async (page, console) => {
      await page.goto("/");
      assertEquals(console, [
        { type: "log", text: "390 true" },
        { type: "pageerror", text: "uncaught" },
      ]);
    });
  });
});

Deno.test("withPage: pages of one browser share no cookies and reach no other host", async () => {
  await withDocument("<!doctype html><title>Hello</title>", async (baseUrl) => {
    await withBrowser(async (browser) => {
      await withPage({ browser, baseUrl }, async (page) => {
        await page.goto("/");
        await page.evaluate(() => document.cookie = "seen=1");
      });
      await withPage({ browser, baseUrl }, async (page) => {
        await page.goto("/");
        assertEquals(await page.evaluate(() => document.cookie), "");
        await assertRejects(() => page.goto("http://example.com/"), Error, "ERR_NAME_NOT_RESOLVED");
      });
    });
  });
});

Deno.test("withBrowser: the process is gone when the callback throws", async () => {
  let connected = () => true;
  const boom = withBrowser((browser) => {
    connected = () => browser.isConnected();
    return Promise.reject(new Error("boom"));
  });
  await assertRejects(() => boom, Error, "boom");
  assertEquals(connected(), false);
});

Deno.test("findChromium: CHROME wins, and must name a file", async () => {
  const chosen = Deno.execPath();
  assertEquals(await findChromium({ chosen }), { executablePath: chosen, env: {} });
  const missing = await assertRejects(() => findChromium({ chosen: "/no/such/chrome" }), Error);
  assertStringIncludes(missing.message, "CHROME is set to /no/such/chrome");
});

Deno.test("findChromium: without any browser the error says how to get one", async () => {
  const packaged = () => Promise.reject(new Error("wrong machine"));
  const error = await assertRejects(
    () => findChromium({ chosen: "", installed: ["/no/such/chrome"], packaged }),
    Error,
  );
  assertStringIncludes(error.message, "set CHROME");
  assertStringIncludes(String(error.cause), "wrong machine");
});

Deno.test({
  name: "packagedChromium: what npm brings starts on a machine without Chromium",
  ignore: Deno.build.target !== "x86_64-unknown-linux-gnu",
  fn: async () => {
    const [one, two] = await Promise.all([packagedChromium(), packagedChromium()]);
    assertEquals(one, two);
    const browser = await startBrowser(one);
    await withPage({ browser }, async (page) => {
      await page.goto("data:text/html,<title>packaged</title>");
      assertEquals(await page.title(), "packaged");
    }).finally(() => browser.close());
  },
});
