/** The theme of the dashboard: chosen in the user menu, remembered by the browser. */
import { assertEquals, assertMatch } from "@std/assert";
import { Dashboard, SETUP_TOKEN } from "./support/dashboard.ts";
import { TestService } from "./support/service.ts";

Deno.test("POST /account/theme: the next page is rendered in the theme, and returns to where it was", async () => {
  await using service = await TestService.start({ env: { SETUP_TOKEN } });
  const owner = await Dashboard.setUp(service);
  const themeOf = async (cookie = owner.cookie) => {
    const page = await service.fetch("/usage?by=agent", { headers: { cookie } });
    return /<html lang="en" data-theme="(\w+)">/.exec(await page.text())?.[1];
  };
  assertEquals(await themeOf(), "system");
  const referer = `${service.url}/usage?by=agent`;
  const answer = await owner.post("/account/theme", { theme: "dark" }, { referer });
  assertEquals([answer.status, answer.headers.get("location")], [303, "/usage?by=agent"]);
  const [cookie = ""] = answer.headers.getSetCookie();
  assertMatch(cookie, /^theme=dark; HttpOnly; Max-Age=31536000; SameSite=Lax; Path=\/$/);
  assertEquals(await themeOf(`${owner.cookie}; theme=dark`), "dark");
  assertEquals(await themeOf(`${owner.cookie}; theme=<script>`), "system");
});

Deno.test("POST /account/theme: an unknown theme is 400, and another site cannot be the target", async () => {
  await using service = await TestService.start({ env: { SETUP_TOKEN } });
  const owner = await Dashboard.setUp(service);
  const wrong = await owner.post("/account/theme", { theme: "blue" });
  assertEquals(wrong.status, 400);
  await wrong.body?.cancel();
  const referer = "https://elsewhere.example/usage";
  const away = await owner.post("/account/theme", { theme: "light" }, { referer });
  assertEquals(away.headers.get("location"), "/home");
});
