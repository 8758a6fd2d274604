/** Talking to a person in the widget: asking, waiting, live messages, the form, in Chromium. */
import axe from "axe-core";
import { assert, assertEquals } from "@std/assert";
import type { Page } from "playwright-core";
import { withBrowser } from "./support/browser.ts";
import { FakePeople } from "./support/fake_people.ts";
import {
  ask,
  atRest,
  focused,
  onSite,
  type Site,
  type SiteOptions,
} from "./support/widget_site.ts";

const OFFERED = { appearance: { offers: ["handoff"] } };
const FAILED = "Something went wrong.";
const status = (page: Page) => page.locator("[part=handoff]");
const announced = (page: Page, text: string | RegExp) =>
  page.getByRole("status").getByText(text).first().waitFor({ state: "attached" });
/** Without the marks that keep names in their direction. */
const textOf = async (page: Page) =>
  (await status(page).innerText()).replace(/[\u2066-\u2069]/g, "");
const waitForText = async (page: Page, text: string) => {
  await page.getByText(new RegExp(text.replace(/[.?]/g, "\\$&").replace(/(Anna|Ben)/g, ".?$1.?")))
    .last().waitFor();
};
const field = (page: Page) => page.getByRole("textbox", { name: "Write a message" });

/** A page of an agent whose visitors may ask for a person, and the people. */
async function onPeopleSite(
  options: SiteOptions,
  use: (site: Site & { people: FakePeople }) => Promise<void>,
): Promise<void> {
  // The list of conversations is asked for with the menu, and would take the queued rejections.
  const attributes = `data-history="off" ${options.attributes ?? ""}`;
  await onSite({ ...OFFERED, ...options, attributes }, async (site) => {
    const people = new FakePeople(site.chat);
    try {
      await use({ ...site, people });
    } finally {
      people.close();
    }
  });
}

async function askAndAnswer({ page, chat }: Site): Promise<void> {
  await ask(page, "What does it cost?");
  chat.say("It costs 5 dollars.");
  chat.done();
  await page.getByRole("button", { name: "Copy" }).waitFor();
}

async function askForPerson(page: Page): Promise<void> {
  await page.getByRole("button", { name: "More" }).click();
  const answered = Promise.race([
    page.waitForResponse((response) =>
      response.request().method() === "POST" && response.url().endsWith("/handoff")
    ),
    page.waitForEvent("requestfailed"),
  ]);
  await page.getByRole("button", { name: "Talk to a person" }).click();
  await answered;
}

/** The visitor's message to a person. */
async function write({ page, chat }: Site, text: string): Promise<void> {
  chat.start = { handoff: "taken" };
  const sent = page.waitForResponse(/\/v1\/chat\/stream$/);
  await field(page).fill(text);
  await page.keyboard.press("Enter");
  await sent;
  chat.say("A colleague will answer soon.");
  chat.done();
  await page.locator(".action:not(.busy)").waitFor();
}

async function violations(page: Page): Promise<unknown[]> {
  await atRest(page);
  const found = await page.evaluate(`(() => { ${axe.source}; return axe.run(); })()`) as {
    violations: { id: string; nodes: { html: string }[] }[];
  };
  return found.violations.map(({ id, nodes }) => [id, nodes[0]?.html]);
}

Deno.test("widget: a visitor asks for a person by keyboard, waits calmly, and reads who writes", async () => {
  await onPeopleSite({}, async (site) => {
    const { page, chat, people, console } = site;
    await askAndAnswer(site);
    await page.getByRole("button", { name: "More" }).focus();
    await page.keyboard.press("Enter");
    const entry = page.getByRole("button", { name: "Talk to a person" });
    await entry.waitFor();
    await entry.focus();
    await page.keyboard.press("Enter");
    await announced(page, "A colleague will answer soon.");
    assertEquals(
      await textOf(page),
      "A colleague will answer soon. You can go on writing. Longest wait: 5 min",
    );
    assertEquals(await focused(page), "tool more");
    await page.getByRole("button", { name: "More" }).click();
    await page.getByRole("button", { name: "Close", exact: true }).waitFor();
    assertEquals(await entry.count(), 0, "asked for once");
    await page.keyboard.press("Escape");
    people.take("Anna");
    await waitForText(page, "You are talking to Anna.");
    await people.type();
    await waitForText(page, "Anna is typing…");
    people.say("Hello, I am [here](https://example.com).");
    await announced(page, /^Anna: Hello, I am/);
    await waitForText(page, "You are talking to Anna.");
    const last = page.getByRole("log").locator(".turn").last();
    assertEquals(await last.locator(".person").innerText(), "Anna");
    assertEquals(await last.getByText("AI assistant").count(), 0);
    assertEquals(await last.getByRole("link").getAttribute("href"), "https://example.com/");
    assertEquals(await last.getByRole("button").count(), 0, "neither thumbs nor copy");
    await write(site, "My parcel is lost.");
    assertEquals(chat.seen.filter(({ path }) => path.endsWith("/typing")).length, 1);
    assertEquals(await page.getByText("A colleague will answer soon.").count(), 0);
    const messages = chat.seen.findLast(({ body }) => body?.messages)!.body!.messages!;
    assertEquals(messages.map(({ content }) => content), [
      "What does it cost?",
      "It costs 5 dollars.",
      "My parcel is lost.",
    ]);
    people.end();
    await announced(page, /ended/);
    assertEquals(
      await textOf(page),
      "Your conversation with Anna has ended. The assistant answers again.",
    );
    chat.start = {};
    await field(page).fill("Thanks!");
    await page.keyboard.press("Enter");
    chat.say("You are welcome.");
    chat.done();
    await page.getByText("You are welcome.").first().waitFor();
    await status(page).waitFor({ state: "detached" });
    assertEquals(console, []);
  });
});

Deno.test("widget: a reload keeps the person's messages, without one twice, also if the panel is closed", async () => {
  await onPeopleSite({}, async (site) => {
    const { page, people } = site;
    await askAndAnswer(site);
    await askForPerson(page);
    people.take("Anna");
    people.say("First.");
    await page.getByText("First.").first().waitFor();
    await page.reload();
    await waitForText(page, "You are talking to Anna.");
    people.say("Second.");
    await page.locator(".bubble").getByText("Second.").waitFor();
    await page.getByRole("button", { name: "Close chat" }).first().click();
    people.say("Third.");
    await page.locator(".unread").waitFor();
    await page.reload();
    people.say("Fourth.");
    await page.locator(".unread").waitFor();
    await page.getByRole("button", { name: "Open chat" }).click();
    await page.locator(".bubble").getByText("Fourth.").waitFor();
    assertEquals(await page.locator(".bubble").allInnerTexts(), [
      "What does it cost?",
      "It costs 5 dollars.",
      ...["First.", "Second.", "Third.", "Fourth."],
    ]);
    // What happened while the page was away arrives with the next one.
    const next = page.waitForEvent("load");
    await page.evaluate("void location.assign('about:blank')");
    await next;
    people.say("Fifth.");
    people.end("closed");
    await page.goBack();
    await page.locator(".bubble").getByText("Fifth.").waitFor();
    await waitForText(page, "Your conversation with Anna has ended.");
  });
});

Deno.test("widget: a message that goes to a person, or the model's tool, shows the hand-off without a word of the visitor", async () => {
  await withBrowser(async (browser) => {
    // Visitors may not ask in this agent: the model does.
    await onPeopleSite({ browser, appearance: {} }, async (site) => {
      const { page, chat, people } = site;
      await ask(page, "A person, please.");
      people.request();
      chat.write({ type: "tool_call", name: "hand_off", args: { reason: "asked" } });
      chat.write({ type: "tool_result", name: "hand_off", output: { state: "waiting" } });
      people.take("Ben");
      people.say("Hi, Ben here.");
      chat.say("I have asked a colleague.");
      await page.getByText("I have asked a colleague.").first().waitFor();
      assertEquals(await page.getByText("Hi, Ben here.").count(), 0, "not into an answer");
      chat.done();
      await page.locator(".bubble").getByText("Hi, Ben here.").waitFor();
      await waitForText(page, "You are talking to Ben.");
      await page.getByRole("button", { name: "More" }).click();
      await page.getByRole("button", { name: "Close", exact: true }).waitFor();
      assertEquals(await page.getByRole("button", { name: "Talk to a person" }).count(), 0);
    });
    await onPeopleSite({ browser }, async ({ page, chat, people }) => {
      people.request();
      chat.start = { handoff: "waiting" };
      await ask(page, "Hello?");
      chat.say("A colleague will answer soon.");
      chat.done();
      await status(page).waitFor();
      assertEquals(await page.locator(".bubble").count(), 1);
      assertEquals(await page.locator(".notice").count(), 0);
    });
  });
});

Deno.test("widget: without a conversation, asking for a person begins one", async () => {
  await onPeopleSite({}, async ({ page, chat }) => {
    await page.getByRole("button", { name: "Open chat" }).click();
    await page.getByRole("button", { name: "More" }).click();
    await page.getByRole("button", { name: "Talk to a person" }).click();
    await page.locator(".mine").getByText("Talk to a person").waitFor();
    chat.say("One moment.");
    chat.done();
    await announced(page, /A colleague will answer soon/);
    await status(page).waitFor();
  });
});

Deno.test("widget: when nobody is there a form takes an address and a message, which a failure does not lose", async () => {
  await onPeopleSite({}, async (site) => {
    const { page, chat, people } = site;
    people.next = { state: "returned", cause: "outside_hours", form: true };
    await askAndAnswer(site);
    await askForPerson(page);
    await announced(page, /Nobody can answer right now/);
    const email = page.getByRole("textbox", { name: "E-mail" });
    const message = page.getByRole("textbox", { name: "Message", exact: true });
    assertEquals(await email.getAttribute("autocomplete"), "email");
    await email.fill("ada");
    await message.fill("Call me.");
    const send = page.locator(".contact").getByRole("button", { name: "Send message" });
    await send.click();
    assertEquals(
      await page.evaluate("document.activeElement.shadowRoot.activeElement.name"),
      "email",
    );
    assertEquals(await violations(page), []);
    await page.reload();
    await email.fill("ada@example.com");
    await message.fill("Call me.");
    for (const code of [401, 404, 413, 429, 500]) {
      people.refusals.push(["POST contact", code]);
      const rejected = page.waitForResponse(/\/contact$/);
      await send.click();
      assertEquals((await rejected).status(), code);
      await page.locator(".notice").getByText(FAILED).waitFor();
    }
    assertEquals([await email.inputValue(), await message.inputValue()], [
      "ada@example.com",
      "Call me.",
    ]);
    await message.focus();
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await announced(page, /We will write to/);
    assertEquals(await textOf(page), "Thank you. We will write to ada@example.com.");
    assertEquals(await page.locator(".contact, .notice").count(), 0);
    assertEquals(await focused(page), "log");
    const { body } = chat.seen.findLast(({ path }) => path.endsWith("/contact"))!;
    assertEquals(body, { email: "ada@example.com", message: "Call me." });
  });
});

Deno.test("widget: a request for a person that fails says so, and one that nobody can answer goes on with the assistant", async () => {
  await onPeopleSite({}, async (site) => {
    const { page, people } = site;
    await askAndAnswer(site);
    for (const code of [401, 429, 503]) {
      people.refusals.push(["POST handoff", code]);
      await askForPerson(page);
      await announced(page, FAILED);
      await page.locator(".notice").getByText(FAILED).waitFor();
    }
    await page.context().setOffline(true);
    await askForPerson(page);
    await page.locator(".notice").getByText(FAILED).waitFor();
    await page.context().setOffline(false);
    people.refusals.push(["POST handoff", 409]);
    await askForPerson(page);
    await waitForText(page, "Nobody can answer right now. The assistant answers again.");
  });
});

Deno.test("widget: the feed goes on after failures, and ends with its conversation", async () => {
  await onPeopleSite({}, async (site) => {
    const { page, chat, people } = site;
    await askAndAnswer(site);
    people.refusals.push(["GET stream", 502], ["GET stream", 401]);
    await askForPerson(page);
    people.take("Anna");
    people.say("I am here.");
    await page.locator(".bubble").getByText("I am here.").waitFor();
    await page.getByRole("button", { name: "New conversation" }).click();
    await status(page).waitFor({ state: "detached" });
    const polls = chat.seen.filter(({ path }) => path.includes("?wait=")).length;
    people.say("To nobody.");
    // The fake's new conversation has the id of the one before.
    people.status = { offered: true, state: "none", form: false };
    await field(page).fill("Hello again?");
    await page.keyboard.press("Enter");
    chat.say("Yes?");
    chat.done();
    await page.getByText("Yes?").first().waitFor();
    assertEquals(await page.getByText("To nobody").count(), 0);
    assertEquals(chat.seen.filter(({ path }) => path.includes("?wait=")).length, polls);
  });
});

Deno.test("widget: people and the form are accessible, narrow, mirrored, dark and in forced colors", async () => {
  await withBrowser(async (browser) => {
    for (
      const { attributes = "", ...options } of [
        { width: 320 },
        { width: 1440, colorScheme: "dark" as const },
        { width: 360, attributes: `data-lang="ar"`, colorScheme: "light" as const },
        { width: 1440, context: { forcedColors: "active" as const } },
      ]
    ) {
      await onPeopleSite({ browser, attributes, ...options }, async (site) => {
        const { page, chat, people } = site;
        await page.locator(".launcher").click();
        await page.locator(".input").fill("2+2?");
        await page.keyboard.press("Enter");
        chat.say("4");
        chat.done();
        await page.locator(".copy").waitFor();
        await page.locator(".more").click();
        const answered = page.waitForResponse(/\/handoff$/);
        // By its icon, because the text depends on the language.
        await page.locator(`.item:has(path[d^="M12 12a4"])`).click();
        await answered;
        await status(page).waitFor();
        assertEquals(await violations(page), [], attributes);
        people.take("Anna");
        people.say("Hello ".repeat(30) + "https://example.com/" + "a".repeat(120));
        await page.locator(".person").waitFor();
        assertEquals(await violations(page), [], attributes);
        people.status.form = true;
        people.end();
        await page.locator(".contact").waitFor();
        assertEquals(await violations(page), [], attributes);
        const box = (await page.locator(".contact button").boundingBox())!;
        assert(box.height >= 44);
        const overflow = await page.locator(".log").evaluate((log) =>
          log.scrollWidth - log.clientWidth
        );
        assertEquals(overflow, 0);
      });
    }
  });
});
