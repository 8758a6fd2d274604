/** A broken connection, a reload and an expired token lose nothing. */
import { assertEquals, assertStringIncludes } from "@std/assert";
import type { Page } from "playwright-core";
import { withBrowser } from "./support/browser.ts";
import { answered, ask, onSite } from "./support/widget_site.ts";

const answer = (page: Page) => page.getByRole("log").locator(".turn:not(.mine) .bubble");
const settled = (page: Page) => page.getByRole("button", { name: "Send message" }).waitFor();

Deno.test("widget: a broken connection is resumed without duplicating or losing text", async () => {
  await withBrowser(async (browser) => {
    for (const resumes of [true, false]) {
      await onSite({ browser }, async ({ page, chat }) => {
        chat.resumes = resumes;
        await ask(page, "Hello?");
        chat.say("One ", "two ");
        await answer(page).getByText("One two").waitFor();
        const again = page.waitForResponse((response) =>
          resumes
            ? /\/runs\/.*\/stream$/.test(response.url())
            : response.url().endsWith("/v1/chat/stream")
        );
        chat.cut();
        await again;
        chat.say("three.");
        chat.done();
        await settled(page);
        assertEquals(await answer(page).innerText(), "One two three.");
        const keys = chat.seen.map((seen) => seen.key).filter((key) => key !== null);
        assertEquals(new Set(keys).size, 1);
      });
    }
  });
});

Deno.test("widget: after a reload the streaming answer and its conversation continue", async () => {
  await onSite({}, async ({ page, chat }) => {
    assertEquals(await page.evaluate("sessionStorage.length"), 0);
    await ask(page, "Hello?");
    chat.say("One ");
    await answer(page).getByText("One").waitFor();
    const again = page.waitForResponse(/\/runs\/.*\/stream$/);
    await page.reload();
    await again;
    chat.say("two.");
    chat.done();
    await settled(page);
    assertEquals(await answer(page).innerText(), "One two.");
    assertEquals(await page.locator(".mine").innerText(), "Hello?");
    assertEquals(await page.getByRole("dialog").isVisible(), true);
    assertEquals(chat.seen.filter((seen) => seen.path === "/v1/chat/stream").length, 1);
    await page.getByRole("button", { name: "New conversation" }).click();
    assertEquals(await page.evaluate("sessionStorage.length"), 0);
  });
});

Deno.test("widget: after a reload the unsent draft is still there, with all its lines", async () => {
  await onSite({}, async ({ page, chat }) => {
    const field = page.getByRole("textbox");
    await page.getByRole("button", { name: "Open chat" }).click();
    const height = () => field.evaluate((element) => (element as HTMLElement).offsetHeight);
    assertEquals(await height(), 44);
    await field.fill("Do you ship\nto Malta?");
    await page.reload();
    assertEquals(await field.inputValue(), "Do you ship\nto Malta?");
    assertEquals(await height(), 68);
    await answered(page, () => field.press("Enter"));
    chat.say("Yes.");
    chat.done();
    await settled(page);
    await page.reload();
    await answer(page).getByText("Yes.").waitFor();
    assertEquals(await field.inputValue(), "");
    assertEquals(await height(), 44);
  });
});

Deno.test("widget: waits while offline, and resumes when the network is back", async () => {
  await onSite({}, async ({ page, chat }) => {
    await ask(page, "Hello?");
    chat.say("One ");
    await answer(page).getByText("One").waitFor();
    await page.context().setOffline(true);
    chat.cut();
    await page.getByRole("log").getByText("The connection was lost.").waitFor();
    const again = page.waitForResponse(/\/runs\/.*\/stream$/);
    await page.context().setOffline(false);
    await again;
    chat.say("two.");
    chat.done();
    await settled(page);
    assertEquals(await answer(page).innerText(), "One two.");
  });
});

Deno.test("widget: with blocked storage the conversation is kept in memory", async () => {
  const block = async (page: Page) => {
    await page.addInitScript(() => {
      Object.defineProperty(globalThis, "sessionStorage", {
        get() {
          throw new DOMException("denied", "SecurityError");
        },
      });
    });
  };
  await onSite({ beforeLoad: block }, async ({ page, chat, console }) => {
    await ask(page, "Hello?");
    chat.say("Hi.");
    chat.done();
    await settled(page);
    assertEquals(await answer(page).innerText(), "Hi.");
    assertEquals(console, []);
  });
});

Deno.test("widget: a new token set during an answer loses nothing, and is used for the next request", async () => {
  await onSite({}, async ({ page, chat }) => {
    await ask(page, "Hello?");
    chat.say("One ");
    await answer(page).getByText("One").waitFor();
    await page.evaluate("serviceWidget.setSessionToken('cs_fresh_token_0001')");
    chat.say("two.");
    chat.done();
    await settled(page);
    assertEquals(await answer(page).innerText(), "One two.");
    const second = page.waitForResponse(/\/stream$/);
    await page.evaluate("serviceWidget.send('More?')");
    await second;
    assertEquals(chat.seen.at(-1)?.token, "cs_fresh_token_0001");
    assertEquals(chat.seen.at(-1)?.body?.conversationId?.length, 36);
  });
});

Deno.test("widget: the session endpoint is called when a token is needed, and once more when the session has ended", async () => {
  let minted = 0;
  const mint = () => ({
    sessionToken: `cs_minted_token_000${++minted}`,
    expiresAt: new Date(Date.now() + 15 * 60_000).toISOString(),
    messageCap: 5,
  });
  const attributes = `data-session-endpoint="/mint"`;
  await onSite({ attributes, mint }, async ({ page, chat, asked }) => {
    await page.getByRole("button", { name: "Open chat" }).waitFor();
    assertEquals(asked, []);
    const body = { code: "session_token_invalid", message: "", http: 401 };
    chat.rejections.push(Response.json(body, { status: 401 }));
    chat.left = 5;
    const streamed = page.waitForResponse((response) => response.status() === 200);
    await ask(page, "Hello?");
    await streamed;
    chat.say("Hi.");
    chat.done();
    await settled(page);
    await page.getByText("Messages left: 4").waitFor();
    assertEquals(asked, ["POST /mint", "POST /mint"]);
    assertEquals(chat.seen.map((seen) => seen.token), [
      "cs_minted_token_0001",
      "cs_minted_token_0002",
    ]);
    assertEquals(await answer(page).innerText(), "Hi.");
  });
});

Deno.test("widget: on an error the visitor sees a plain sentence, and the console shows the cause", async () => {
  const cases = [
    [403, { code: "origin_not_allowed" }, "not available", "session token rejected"],
    [429, { code: "plan_limit_exceeded" }, "not available", "plan_limit_exceeded"],
    [
      429,
      { code: "rate_limit_exceeded", details: { scope: "session_messages" } },
      "reload",
      "setSessionToken()",
    ],
  ] as const;
  await withBrowser(async (browser) => {
    for (const [status, body, notice, logged] of cases) {
      await onSite({ browser }, async ({ page, chat, console }) => {
        chat.rejections.push(Response.json({ message: "", http: status, ...body }, { status }));
        await ask(page, "Hello?");
        assertStringIncludes(await page.locator(".notice").innerText(), notice);
        const line = console.find((line) => line.text.includes("[service-widget]"));
        assertStringIncludes(line?.text ?? "", logged);
      });
    }
  });
});
