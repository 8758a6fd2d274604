/** `<ChatWidget />` of the packed `@agent-chat/react`, in real React in Chromium. */
import { assertEquals } from "@std/assert";
import { onReactSite, problems, reactProject } from "./support/react_site.ts";

/** Set by the application. */
declare const change: (props: Record<string, unknown>) => void;

Deno.test("ChatWidget: one widget in strict mode, follows its props, and leaves the page when it unmounts", async () => {
  await using project = await reactProject();
  const script = project.bundle("widget_app.tsx");
  const props = ({ base, agentId }: { base: string; agentId: string }) => ({
    props: { apiBase: base, agentId, sessionEndpoint: "/mint", title: "Shop", open: true },
  });
  await onReactSite({ script, settings: props }, async (site) => {
    const { page, held } = site;
    held.release();
    const widget = page.locator("service-widget");
    await widget.getByText("Shop", { exact: true }).waitFor();
    await page.waitForFunction("handles.length === 1");
    assertEquals(await widget.count(), 1);
    await page.evaluate(
      "change({ title: 'Boutique', lang: 'de', suggestions: ['Hallo?', 'Wie?'] })",
    );
    await widget.getByText("Boutique", { exact: true }).waitFor();
    await widget.getByText("Wie?", { exact: true }).waitFor();
    await page.evaluate("handles[0].send('Hello?')");
    await page.waitForFunction("events.includes('stop')");
    assertEquals(await page.evaluate("events"), ["open", "Hello?", "stop"]);
    const toggle = page.getByRole("button", { name: "Toggle" });
    await toggle.click();
    await widget.waitFor({ state: "detached" });
    assertEquals(await page.locator("script[data-service-widget]").count(), 0);
    await toggle.click();
    await page.waitForFunction("handles.length === 2");
    await widget.waitFor({ state: "attached" });
    assertEquals([await widget.count(), problems(site)], [1, []]);
  });
});

Deno.test("ChatWidget: two components of one agent share a widget, which leaves with the last", async () => {
  await using project = await reactProject();
  const script = project.bundle("widget_app.tsx");
  const props = ({ base, agentId }: { base: string; agentId: string }) => ({
    props: { apiBase: `${base}/`, agentId, sessionEndpoint: "/mint" },
  });
  await onReactSite({ script, settings: props }, async (site) => {
    const { page } = site;
    const [toggle, twice] = ["Toggle", "Twice"].map((name) => page.getByRole("button", { name }));
    const widget = page.locator("service-widget");
    await page.waitForFunction("handles.length === 1");
    await widget.waitFor({ state: "attached" });
    await twice!.click();
    await page.waitForFunction("handles.length === 2");
    assertEquals(await page.evaluate("handles[0] === handles[1]"), true);
    await toggle!.click();
    assertEquals(
      [await widget.count(), await page.locator("script[data-service-widget]").count()],
      [1, 1],
    );
    await twice!.click();
    assertEquals([await widget.count(), problems(site)], [0, []]);
  });
});

Deno.test("ChatWidget: a pinned script with its hash, a nonce, and a token that is replaced", async () => {
  await using project = await reactProject();
  const script = project.bundle("widget_app.tsx");
  const props = ({ base, agentId }: { base: string; agentId: string }) => ({
    props: { apiBase: base, agentId, sessionToken: "cs_nobody_ever_minted_this", src: "/none.js" },
  });
  await onReactSite({ script, settings: props }, async (site) => {
    const { page, network, service } = site;
    site.held.release();
    await page.waitForFunction("events.includes('not loaded')");
    const { integrity, pinned } = await (await service.fetch("/widget.v1.json")).json();
    const src = network.url + pinned;
    await page.evaluate((more) => change(more), { src, integrity, nonce: "n0" });
    await page.waitForFunction("handles.length === 1");
    const tag = page.locator("script[data-service-widget]");
    assertEquals(await tag.getAttribute("src"), src);
    assertEquals(await tag.evaluate((one: HTMLScriptElement) => [one.integrity, one.nonce]), [
      integrity,
      "n0",
    ]);
    await page.evaluate("handles[0].on('error', ({ code }) => events.push(code))");
    await page.evaluate("handles[0].send('Hello?')");
    await page.waitForFunction("events.includes('session_token_invalid')");
    // The new token sends the question that the old one could not.
    await page.evaluate((more) => change(more), { sessionToken: await site.mint() });
    await page.waitForFunction("events.includes('stop')");
  });
});

Deno.test("ChatWidget: a component that unmounts while its script loads starts no widget", async () => {
  await using project = await reactProject();
  const script = project.bundle("widget_app.tsx");
  const props = ({ base, agentId }: { base: string; agentId: string }) => ({
    props: { apiBase: base, agentId, sessionEndpoint: "/mint", src: `${base}/widget.v1.js?slow` },
  });
  await onReactSite({ script, settings: props }, async ({ page, network }) => {
    const loading = Promise.withResolvers<void>();
    await page.route("**/widget.v1.js?slow", async (route) => {
      await loading.promise;
      await route.continue();
    });
    const loaded = page.waitForResponse("**/widget.v1.js?slow");
    await page.reload({ waitUntil: "commit" });
    await page.getByRole("button", { name: "Toggle" }).click();
    loading.resolve();
    await (await loaded).finished();
    // A later script of the same service has run, so this one has too.
    await page.addScriptTag({ url: `${network.url}/widget.v1.js` });
    assertEquals(await page.locator("service-widget").count(), 0);
    assertEquals(await page.evaluate("[handles.length, events.length]"), [0, 0]);
  });
});
