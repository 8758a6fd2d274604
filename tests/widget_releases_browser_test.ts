/** Two releases side by side: each launcher finds its own panel, whichever process it asks. */
import { assertEquals, assertNotEquals } from "@std/assert";
import { buildWidget } from "../tools/bundle_widget.ts";
import { withPage } from "./support/browser.ts";
import { openTestKv } from "./support/open_kv.ts";
import { TestService } from "./support/service.ts";

const ROOT = new URL("../", import.meta.url).pathname;

/** A release whose panel greets in other words, and whose thumbs have another name. */
async function otherRelease() {
  const root = await Deno.makeTempDir();
  try {
    const copy = await new Deno.Command("cp", {
      args: ["-r", `${ROOT}widget`, `${root}/widget`],
    }).output();
    assertEquals(copy.success, true);
    await Deno.mkdir(`${root}/lib`);
    await Deno.symlink(`${ROOT}lib/schemas`, `${root}/lib/schemas`);
    await Deno.symlink(`${ROOT}node_modules`, `${root}/node_modules`);
    const file = `${root}/widget/panel_languages.ts`;
    const greetings = await Deno.readTextFile(file);
    await Deno.writeTextFile(file, greetings.replace("How can we help?", "Welcome back."));
    const ratings = `${root}/widget/extras/feedback/feedback_texts.ts`;
    const labels = await Deno.readTextFile(ratings);
    await Deno.writeTextFile(ratings, labels.replace("Good answer", "Useful answer"));
    const { launcher, panel, extras, texts } = await buildWidget({ root });
    return { widget: launcher.bytes, panel: panel.bytes, extras: extras.bytes, texts: texts.bytes };
  } finally {
    await Deno.remove(root, { recursive: true });
  }
}

Deno.test("an old launcher from a browser's cache gets its own panel from a process that only knows the new one", async () => {
  using kv = await openTestKv();
  const scripts = await otherRelease();
  const old = await TestService.start({ kv, keepKv: true, scripts });
  const { integrity, panel, extras } = await (await old.fetch("/widget.v1.json")).json();
  await old[Symbol.asyncDispose]();
  await using service = await TestService.start({ kv, keepKv: true });
  const now = await (await service.fetch("/widget.v1.json")).json();
  assertNotEquals(now.panel.pinned, panel.pinned);
  assertNotEquals(now.extras.pinned, extras.pinned);
  await withPage({ baseUrl: service.url }, async (page, lines) => {
    await page.route("**/demo", async (route) => {
      const response = await route.fetch();
      const body = (await response.text()).replaceAll(now.integrity, integrity);
      await route.fulfill({ response, body });
    });
    await page.route("**/widget.v1.js", async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, body: new TextDecoder().decode(scripts.widget) });
    });
    const loaded = page.waitForResponse((response) => response.url().includes("/widget-panel."));
    await page.goto("/demo");
    await page.getByRole("button", { name: /Open chat/ }).click();
    assertEquals(new URL((await loaded).url()).pathname, panel.pinned);
    await page.getByText("Welcome back.").waitFor();
    await page.getByRole("textbox").fill("Hello?");
    await page.keyboard.press("Enter");
    const later = page.waitForResponse((response) => response.url().includes("/widget-extras."));
    await page.getByRole("log").getByText("Hello!").waitFor();
    assertEquals(new URL((await later).url()).pathname, extras.pinned);
    await page.getByRole("button", { name: "Useful answer" }).click();
    await page.getByRole("button", { name: "Useful answer", pressed: true }).waitFor();
    assertEquals(lines, []);
  });
});

Deno.test("while processes are replaced, an old one serves the panel of the new launcher, and a new one the old", async () => {
  using kv = await openTestKv();
  await using old = await TestService.start({ kv, keepKv: true, scripts: await otherRelease() });
  await using current = await TestService.start({ kv, keepKv: true });
  for (const [from, other] of [[old, current], [current, old]] as const) {
    const { panel, extras } = await (await from.fetch("/widget.v1.json")).json();
    for (const { pinned, integrity } of [panel, extras]) {
      const answer = await other.fetch(pinned);
      assertEquals(answer.status, 200);
      const digest = await crypto.subtle.digest("SHA-384", await answer.arrayBuffer());
      assertEquals(`sha384-${new Uint8Array(digest).toBase64()}`, integrity);
    }
  }
});
