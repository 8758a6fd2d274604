/** `@agent-chat/client/bind` in Chromium: the key of a browser, the real service, and a copied token. */
import { buildSync } from "esbuild";
import { assert, assertEquals, assertMatch, assertNotEquals } from "@std/assert";
import type { Page } from "playwright-core";
import type { Agent } from "@/lib/schemas/agent.ts";
import { withPage } from "./support/browser.ts";
import { expectUnproven } from "./support/bound_session.ts";
import { onRealSite, type RealSite } from "./support/real_site.ts";

const SOURCE = new URL("../packages/client/src/", import.meta.url).pathname;

/** A page's script that offers the package to the test. */
const SCRIPT = buildSync({
  stdin: {
    contents: `import { chat } from "./mod.ts";
      import { boundFetch, keyThumbprint } from "./bind.ts";
      Object.assign(globalThis, { chat, bound: boundFetch(), keyThumbprint });`,
    resolveDir: SOURCE,
    loader: "ts",
  },
  ...{ bundle: true, write: false, format: "esm", target: "es2022", tsconfigRaw: {} },
}).outputFiles[0]!.text;

interface PageScript {
  // deno-lint-ignore no-explicit-any -- the package in the page
  chat: any;
  bound: typeof fetch;
  keyThumbprint: () => Promise<string>;
}

/** The parts of the site that the page's script needs. */
interface Embedded {
  base: string;
  agent: Agent;
  token: string;
}

const html = (parts: Embedded) =>
  `<script>window.embedded = ${JSON.stringify(parts)};</script>
  <script type="module">${SCRIPT}</script>`;

const thumbprint = (page: Page): Promise<string> =>
  page.evaluate(() => (globalThis as unknown as PageScript).keyThumbprint());

/** Sends a message with the package, and returns the text of its answer. */
async function ask({ page, held }: RealSite): Promise<string> {
  held.release();
  return await page.evaluate(async () => {
    const { chat, bound, embedded } = globalThis as unknown as PageScript & { embedded: Embedded };
    const reply = chat({
      ...{ apiBase: embedded.base, agentId: embedded.agent.id, sessionToken: embedded.token },
      messages: [{ role: "user", content: "Hello?" }],
      fetch: bound,
    });
    let text = "";
    for await (const frame of reply) if (frame.type === "delta") text += frame.text;
    return text;
  });
}

Deno.test("boundFetch in Chromium: binds the session of a page, whose token is worthless elsewhere", async () => {
  await onRealSite({ html }, async (site) => {
    const { page, service, agent, origin, minted } = site;
    assertMatch(await ask(site), /You asked/);
    assertMatch(await ask(site), /You asked/);
    const [token = ""] = minted;
    const headers = { "x-service-session": token, origin };
    await expectUnproven(await service.fetch("/v1/chat/limits", { headers }));
    const messages = [{ role: "user", content: "Hello?" }];
    const json = { agentId: agent.id, sessionToken: token, messages };
    await expectUnproven(
      await service.fetch("/v1/chat/stream", { method: "POST", json, headers }),
    );
    // Another page of the site without the package.
    const status = await page.evaluate(async () => {
      const { base, token } = (globalThis as unknown as { embedded: Embedded }).embedded;
      const headers = { "x-service-session": token };
      const response = await fetch(`${base}/v1/chat/limits`, { headers });
      return [response.status, (await response.json()).code, response.headers.has("dpop-nonce")];
    });
    assertEquals(status, [401, "session_token_invalid", true]);
  });
});

Deno.test("boundFetch in Chromium: pages of an origin share one key that no script can read", async () => {
  await onRealSite({ html }, async ({ page, origin }) => {
    const second = await page.context().newPage();
    await second.goto(origin);
    // The second page to store a key finds that of the first.
    const both = await Promise.all([thumbprint(page), thumbprint(second)]);
    assertEquals(both[0], both[1]);
    assertMatch(both[0]!, /^[\w-]{43}$/);
    await page.reload();
    assertEquals(await thumbprint(page), both[0]);
    const stored = await page.evaluate(async () => {
      const opening = indexedDB.open("agent-chat");
      await new Promise((done) => opening.onsuccess = done);
      const reading = opening.result.transaction("key").objectStore("key").get("key");
      await new Promise((done) => reading.onsuccess = done);
      const { privateKey } = reading.result as CryptoKeyPair;
      const exported = crypto.subtle.exportKey("jwk", privateKey);
      return [privateKey.extractable, await exported.then(() => "exported", () => "rejected")];
    });
    assertEquals(stored, [false, "rejected"]);
  });
});

Deno.test("boundFetch in Chromium: without IndexedDB the key lives as long as the page", async () => {
  const blocked = async (page: Page) => {
    await page.addInitScript(() => {
      const open = () => {
        throw new DOMException("blocked", "SecurityError");
      };
      Object.defineProperty(globalThis, "indexedDB", { value: { open } });
    });
  };
  await onRealSite({ html, beforeLoad: blocked }, async (site) => {
    const { page } = site;
    assertMatch(await ask(site), /You asked/);
    const first = await thumbprint(page);
    assertEquals(await thumbprint(page), first);
    await page.reload();
    assertNotEquals(await thumbprint(page), first);
    assertMatch(await ask(site), /You asked/);
  });
});

Deno.test("boundFetch in Chromium: a visitor whose clock is a day off can chat", async () => {
  const beforeLoad = async (page: Page) => {
    await page.addInitScript(() => {
      const now = Date.now;
      Date.now = () => now() - 86_400_000;
    });
  };
  await onRealSite({ html, beforeLoad }, async (site) => {
    assertMatch(await ask(site), /You asked/);
  });
});

Deno.test("boundFetch in Chromium: another browser with the same token is rejected", async () => {
  await onRealSite({ html }, async (site) => {
    assertMatch(await ask(site), /You asked/);
    const [token] = site.minted;
    await withPage({ baseUrl: site.origin }, async (page) => {
      await page.goto("/");
      await page.evaluate((token) => {
        Object.assign((globalThis as unknown as { embedded: Embedded }).embedded, { token });
      }, token);
      const failed = await ask({ ...site, page }).catch((error) => String(error));
      assert(failed.includes("session_token_invalid"), failed);
    });
  });
});
