/** Files of messages in the widget: chosen, pasted, dropped, sent and shown again, in Chromium. */
import axe from "axe-core";
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import type { Page } from "playwright-core";
import { withBrowser } from "./support/browser.ts";
import { catalogueEntry } from "./support/chat.ts";
import { expectJson } from "./support/expect_response.ts";
import { exif, join, makeJpeg, SECRET_METADATA } from "./support/make_image.ts";
import { MockProviders } from "./support/mock_providers/mock_providers.ts";
import { KEYS } from "./support/provider_connections.ts";
import { onRealSite } from "./support/real_site.ts";
import {
  answered,
  atRest,
  focused,
  onSite,
  type Site,
  type SiteOptions,
} from "./support/widget_site.ts";

const OFFERS = { appearance: { offers: ["images", "documents"] } };
/** 40 by 30 pixels. */
const PNG =
  "iVBORw0KGgoAAAANSUhEUgAAACgAAAAeCAIAAADRv8uKAAAAK0lEQVR42u3NMQ0AAAgDsAlDGBKRhQw4mvRvputExGKxWCwWi8VisVj8N15LdPWbT+GMHQAAAABJRU5ErkJggg==";
const png = (name = "photo.png") => ({
  name,
  mimeType: "image/png",
  buffer: Buffer.from(PNG, "base64"),
});
const note = (name = "note.txt", text = "Hello.") => ({
  name,
  mimeType: "text/plain",
  buffer: Buffer.from(text),
});
type SentFile = ReturnType<typeof png>;

const chips = (page: Page) => page.locator(".files").last().getByRole("listitem");
const chip = (page: Page, text: string | RegExp) =>
  page.getByRole("listitem").filter({ hasText: text });
const announced = (page: Page, text: string | RegExp) =>
  page.getByRole("status").getByText(text).first().waitFor({ state: "attached" });
const field = (page: Page) => page.getByRole("textbox", { name: "Write a message" });

/** Opens the panel and its menu, and chooses files there. */
async function choose(page: Page, ...files: SentFile[]): Promise<void> {
  await page.getByRole("button", { name: "More" }).click();
  const chooser = page.waitForEvent("filechooser");
  await page.getByRole("button", { name: "Attach a file" }).click();
  await (await chooser).setFiles(files);
}

async function onOpenSite(options: SiteOptions, use: (site: Site) => Promise<void>): Promise<void> {
  // The list of conversations is asked for with the menu, and would take the queued rejections.
  const attributes = `data-history="off" ${options.attributes ?? ""}`;
  await onSite({ ...OFFERS, ...options, attributes }, async (site) => {
    await site.page.locator(".launcher").click();
    await site.page.locator(".more").waitFor();
    await use(site);
  });
}

/** Pastes or drops files, as the browser says it. */
async function give(page: Page, type: "paste" | "drop", ...files: SentFile[]) {
  const given = files.map(({ name, mimeType, buffer }) => ({
    name,
    type: mimeType,
    base64: buffer.toString("base64"),
  }));
  await page.evaluate(([type, files]) => {
    const data = new DataTransfer();
    for (const { name, type, base64 } of files) {
      const bytes = Uint8Array.from(atob(base64), (one) => one.charCodeAt(0));
      data.items.add(new File([bytes], name, { type }));
    }
    const about = { bubbles: true, cancelable: true, composed: true };
    const event = type === "paste"
      ? new ClipboardEvent(type, { ...about, clipboardData: data })
      : new DragEvent(type, { ...about, dataTransfer: data });
    document.querySelector("service-widget")!.shadowRoot!.querySelector(".field")!
      .dispatchEvent(event);
  }, [type, given] as const);
}

async function violations(page: Page): Promise<unknown[]> {
  await atRest(page);
  const found = await page.evaluate(`(() => { ${axe.source}; return axe.run(); })()`) as {
    violations: { id: string; nodes: { html: string }[] }[];
  };
  return found.violations.map(({ id, nodes }) => [id, nodes[0]?.html]);
}

Deno.test("widget: a chosen file is uploaded, sent with the message, and shown with it after a reload", async () => {
  await onOpenSite({}, async ({ page, chat, console }) => {
    await choose(page, png(), note());
    await chip(page, "photo.png").getByText("1 kB").waitFor();
    await chip(page, "note.txt").getByText("1 kB").waitFor();
    await announced(page, "photo.png: Attached");
    assertEquals(await chip(page, "photo.png").locator("canvas").count(), 1, "a preview");
    assertEquals(chat.uploads.map(({ name }) => name), ["photo.png", "note.txt"]);
    assertEquals(chat.seen.at(-1)?.token, "cs_0123456789abcdef");
    await field(page).fill("What is it?");
    await page.reload();
    await chip(page, "note.txt").waitFor();
    assertEquals(await field(page).inputValue(), "What is it?");
    await answered(page, () => field(page).press("Enter"));
    assertEquals(chat.seen.at(-1)?.body?.messages, [{
      role: "user",
      content: "What is it?",
      attachments: [1, 2].map((n) => `c41a7d08-5b2f-4f6e-9d13-00000000000${n}`),
    }] as unknown);
    // Below the question, before the answer has begun.
    await page.locator(".mine .file").getByText("note.txt").waitFor();
    assertEquals(await page.locator(".composer .file").count(), 0);
    chat.say("A photo.");
    chat.done();
    await page.getByText("A photo.").first().waitFor();
    await page.reload();
    await page.locator(".mine .file").getByText("note.txt").waitFor();
    await field(page).fill("And?");
    await answered(page, () => field(page).press("Enter"));
    const { messages } = chat.seen.at(-1)!.body!;
    assertEquals(messages!.map(({ attachments }) => attachments?.length), [
      2,
      undefined,
      undefined,
    ]);
    assertEquals(console, []);
  });
});

Deno.test("widget: a pressed image is shown over the messages, and an unknown one says so", async () => {
  await onOpenSite({}, async ({ page, chat, console }) => {
    await choose(page, png());
    // Until then only "Remove: photo.png" is there to press.
    await chip(page, "photo.png").getByText("1 kB").waitFor();
    await page.getByRole("button", { name: "photo.png" }).first().click();
    await page.getByRole("img", { name: "photo.png" }).waitFor();
    assertEquals(
      await page.locator(".picture").evaluate((one) => [
        (one as HTMLCanvasElement).width,
        (one as HTMLCanvasElement).height,
      ]),
      [40, 30],
    );
    assertEquals(chat.seen.at(-1)?.method, "GET");
    await page.keyboard.press("Escape");
    assertEquals(await focused(page), "tool more");
    chat.uploads.length = 0;
    await page.getByRole("button", { name: "photo.png" }).first().click();
    await page.locator(".sheet").getByText("cannot be").waitFor();
    assertEquals(console.filter(({ type }) => type !== "error"), []);
  });
});

Deno.test("widget: a message waits for its files, and is sent after the upload", async () => {
  await onOpenSite({}, async ({ page, chat }) => {
    const slow = Promise.withResolvers<void>();
    chat.uploaded = slow.promise;
    await choose(page, png());
    await chip(page, "Uploading…").waitFor();
    await announced(page, "photo.png: Uploading…");
    await field(page).fill("What is it?");
    await field(page).press("Enter");
    await chip(page, "Sent after the upload.").waitFor();
    await announced(page, "Sent after the upload.");
    assertEquals(await field(page).inputValue(), "What is it?");
    await answered(page, () => Promise.resolve(slow.resolve()));
    assertEquals(await field(page).inputValue(), "");
    const [message] = chat.seen.at(-1)!.body!.messages!;
    assertEquals([message?.content, message?.attachments?.length], ["What is it?", 1]);
  });
});

Deno.test("widget: a message that waits is not sent without the file that failed", async () => {
  await onOpenSite({}, async ({ page, chat }) => {
    const slow = Promise.withResolvers<void>();
    chat.uploaded = slow.promise;
    chat.rejections.push(new Response(null, { status: 503 }));
    await choose(page, png());
    await chip(page, "Uploading…").waitFor();
    await field(page).fill("What is it?");
    await field(page).press("Enter");
    slow.resolve();
    await chip(page, "Something went wrong.").waitFor();
    assertEquals(await field(page).inputValue(), "What is it?");
    assertEquals(chat.seen.filter(({ path }) => /stream/.test(path)), []);
    await page.getByRole("button", { name: "Try again: photo.png" }).click();
    await announced(page, "photo.png: Attached");
    await answered(page, () => page.getByRole("button", { name: "Send message" }).click());
    assertEquals(chat.uploads.length, 2);
  });
});

Deno.test("widget: without a text, a message is the names of its files", async () => {
  await onOpenSite({}, async ({ page, chat }) => {
    await choose(page, png(), note());
    await announced(page, "note.txt: Attached");
    await answered(page, () => page.getByRole("button", { name: "Send message" }).click());
    assertEquals(chat.seen.at(-1)?.body?.messages?.[0]?.content, "photo.png, note.txt");
  });
});

Deno.test("widget: each failure of an upload says what happened at its file, and what was typed stays", async () => {
  await onOpenSite({}, async ({ page, chat }) => {
    await field(page).fill("Typed.");
    const cases = [
      [413, "Larger than 10 MB.", false],
      [415, "This file cannot be attached.", false],
      [400, "This file cannot be attached.", false],
      [403, "This file cannot be attached.", false],
      [429, "No more files.", true],
      [401, "Please reload the page.", false],
      [500, "Something went wrong.", true],
    ] as const;
    for (const [status, text, retry] of cases) {
      chat.rejections.push(Response.json({ code: "x" }, { status }));
      await choose(page, png(`${status}.png`));
      await announced(page, `${status}.png: ${text}`);
      await chip(page, `${status}.png`).getByText(text).waitFor();
      const again = page.getByRole("button", { name: `Try again: ${status}.png` });
      assertEquals(await again.count(), Number(retry), `${status}`);
      await page.getByRole("button", { name: `Remove: ${status}.png` }).click();
      assertEquals(await focused(page), "tool more");
    }
    await page.context().setOffline(true);
    await choose(page, png("offline.png"));
    await chip(page, "The connection was lost.").waitFor();
    await page.context().setOffline(false);
    await page.getByRole("button", { name: "Try again: offline.png" }).click();
    await announced(page, "offline.png: Attached");
    assertEquals(await field(page).inputValue(), "Typed.");
  });
});

Deno.test("widget: at most eight files and 10 MiB each are uploaded", async () => {
  await onOpenSite({}, async ({ page, chat }) => {
    const large = note("large.txt", "x".repeat(10 * 1024 * 1024 + 1));
    await choose(page, large);
    await chip(page, "Larger than 10 MB.").waitFor();
    assertEquals(chat.uploads.length, 0);
    await page.getByRole("button", { name: "Remove: large.txt" }).click();
    await choose(page, ...Array.from({ length: 9 }, (_, n) => note(`${n + 1}.txt`)));
    await chip(page, "9.txt").getByText("No more files.").waitFor();
    await announced(page, "8.txt: Attached");
    assertEquals(chat.uploads.length, 8);
    await page.getByRole("button", { name: "Remove: 1.txt" }).click();
    await page.getByRole("button", { name: "Try again: 9.txt" }).click();
    await announced(page, "9.txt: Attached");
  });
});

Deno.test("widget: a removed file is not sent, and its upload ends", async () => {
  await onOpenSite({}, async ({ page, chat }) => {
    const slow = Promise.withResolvers<void>();
    chat.uploaded = slow.promise;
    const asked = page.waitForRequest(/attachments$/);
    await choose(page, png("wrong.png"));
    await asked;
    const failed = page.waitForEvent("requestfailed");
    await page.getByRole("button", { name: "Remove: wrong.png" }).click();
    await failed;
    slow.resolve();
    await choose(page, png("right.png"));
    await announced(page, "right.png: Attached");
    assertEquals(await chips(page).count(), 1);
  });
});

Deno.test("widget: pasted and dropped files are attached, and copied text stays text", async () => {
  await onOpenSite({}, async ({ page, chat }) => {
    await give(page, "paste", png("pasted.png"));
    await announced(page, "pasted.png: Attached");
    await give(page, "drop", png("dropped.png"), note());
    await announced(page, "note.txt: Attached");
    assertEquals(chat.uploads.map(({ name }) => name), ["pasted.png", "dropped.png", "note.txt"]);
    const isKept = await page.evaluate(() => {
      const data = new DataTransfer();
      data.items.add(new File(["x"], "table.png", { type: "image/png" }));
      data.setData("text/plain", "A table");
      const event = new ClipboardEvent("paste", {
        ...{ bubbles: true, cancelable: true, composed: true, clipboardData: data },
      });
      return document.querySelector("service-widget")!.shadowRoot!.querySelector(".input")!
        .dispatchEvent(event);
    });
    assert(isKept, "left to the browser");
    assertEquals(await chips(page).count(), 3);
  });
});

Deno.test("widget: files held over the panel show where they can be dropped, while they are", async () => {
  await onOpenSite({}, async ({ page, chat }) => {
    const path = await Deno.makeTempFile({ suffix: ".txt" });
    await Deno.writeTextFile(path, "Hello.");
    const { x, y, width } = (await page.locator(".log").boundingBox())!;
    const session = await page.context().newCDPSession(page);
    const drag = (type: "dragEnter" | "dragOver" | "drop") =>
      session.send("Input.dispatchDragEvent", {
        ...{ type, x: x + width / 2, y: y + 50 },
        data: { items: [], files: [path], dragOperationsMask: 1 },
      });
    const extras = page.waitForResponse(/widget-extras/);
    await drag("dragEnter");
    // The first event loads the extras; a browser repeats it while files are held.
    await drag("dragOver");
    await extras;
    for (let n = 0; n < 100 && await page.locator(".drop").count() === 0; n++) {
      await drag("dragOver");
    }
    assertEquals(await page.locator(".drop").textContent(), "Drop files here");
    assertEquals(
      await page.locator(".drop").evaluate((one) => getComputedStyle(one).borderStyle),
      "dashed",
    );
    await page.locator(".drop").waitFor({ state: "detached" });
    assertEquals(await page.locator(".file").count(), 0);
    await drag("dragOver");
    await drag("drop");
    await announced(page, ".txt: Attached");
    assertEquals([chat.uploads.length, await page.locator(".drop").count()], [1, 0]);
    await Deno.remove(path);
  });
});

Deno.test("widget: nothing offered: no entries, and given files are not uploaded, but said to be so", async () => {
  await onOpenSite({ appearance: { offers: ["handoff"] } }, async ({ page, chat }) => {
    await page.getByRole("button", { name: "More" }).click();
    await page.locator(".sheet").waitFor();
    assertEquals(await page.getByRole("button", { name: "Attach a file" }).count(), 0);
    await page.keyboard.press("Escape");
    await give(page, "drop", png());
    await chip(page, "This file cannot be attached.").waitFor();
    await announced(page, "photo.png: This file cannot be attached.");
    assertEquals([chat.uploads.length, await page.locator(".drop").count()], [0, 0]);
  });
});

Deno.test("widget and service: the model gets the photo without its metadata and the document, and the visitor sees them again", async () => {
  await using mock = await MockProviders.start();
  const options = {
    attributes: `data-offers="images|documents"`,
    env: { VENDOR_A_BASE_URL: mock.url, VENDOR_A_API_KEY: KEYS.openai },
    catalogue: [catalogueEntry({ vision: true })],
    agent: {
      modelPolicy: { provider: "vendor_a", model: "mid" },
      attachments: { images: true, documents: true },
    },
  };
  await onRealSite(options, async ({ page, held, minted, service, origin }) => {
    held.release();
    const photo = makeJpeg({ extra: [exif(6)] });
    assert(Buffer.from(photo).includes(SECRET_METADATA));
    await page.locator(".launcher").click();
    await choose(
      page,
      { name: "photo.jpg", mimeType: "image/jpeg", buffer: Buffer.from(photo) },
      note("prices.csv", "name,price\nTea,3"),
    );
    await announced(page, "prices.csv: Attached");
    await field(page).fill("What is it?");
    await field(page).press("Enter");
    const { body } = await mock.asked(1);
    const [, image] = body.messages.at(-1).content;
    assertMatch(image.image_url.url, /^data:image\/jpeg;base64,/);
    const bytes = Buffer.from(image.image_url.url.split(",")[1], "base64");
    assert(!bytes.includes(SECRET_METADATA));
    assertStringIncludes(JSON.stringify(body), "name,price\\nTea,3");
    await page.locator(".mine .file").getByText("prices.csv").waitFor();
    await page.getByRole("button", { name: "photo.jpg" }).click();
    await page.getByRole("img", { name: "photo.jpg" }).waitFor();
    // Another type by its content.
    await page.keyboard.press("Escape");
    await choose(page, { ...png("fake.png"), buffer: Buffer.from("504b030400000000", "hex") });
    await chip(page, "fake.png").getByText("This file cannot be attached.").waitFor();
    const saved = await page.evaluate(() => Object.values(sessionStorage).join());
    const id = /"conversationId":"([^"]+)"/.exec(saved)![1]!;
    const headers = { "x-service-session": minted.at(-1)!, origin };
    const own = await expectJson(
      await service.fetch(`/v1/chat/conversations/${id}`, { headers }),
      200,
    );
    assertEquals(
      own.messages[0].attachments.map(({ name }: { name: string }) => name),
      ["photo.jpg", "prices.csv"],
    );
  });
});

/** A noisy photo with its orientation and place, of more than 1.5 MB. */
async function makePhoto(page: Page): Promise<SentFile> {
  const base64 = await page.evaluate(async () => {
    const canvas = new OffscreenCanvas(3000, 2000);
    const context = canvas.getContext("2d")!;
    const pixels = new ImageData(3000, 2000);
    let noise = 1;
    for (let n = 0; n < pixels.data.length; n++) {
      noise ^= noise << 13;
      noise ^= noise >>> 17;
      noise ^= noise << 5;
      pixels.data[n] = n % 4 === 3 ? 255 : noise;
    }
    context.putImageData(pixels, 0, 0);
    const blob = await canvas.convertToBlob({ type: "image/jpeg", quality: 0.7 });
    const reader = new FileReader();
    reader.readAsDataURL(blob);
    await new Promise((loaded) => reader.onload = loaded);
    return `${reader.result}`.split(",")[1]!;
  });
  const bytes = Buffer.from(base64, "base64");
  const withPlace = join(bytes.subarray(0, 2), exif(6), bytes.subarray(2));
  return { name: "IMG_1.JPG", mimeType: "image/jpeg", buffer: Buffer.from(withPlace) };
}

Deno.test("widget: a large photo is uploaded smaller, upright, and without what the camera wrote into it", async () => {
  await onOpenSite({}, async ({ page, chat }) => {
    const photo = await makePhoto(page);
    assert(photo.buffer.length > 1.5e6, `${photo.buffer.length}`);
    assert(photo.buffer.includes("Exif"));
    await choose(page, photo);
    await announced(page, "IMG_1.JPG: Attached");
    const [sent] = chat.uploads;
    assertEquals([sent?.type, sent?.name], ["image/jpeg", "IMG_1.JPG"]);
    const bytes = Buffer.from(await sent!.arrayBuffer());
    assert(!bytes.includes("Exif"));
    await page.getByRole("button", { name: "IMG_1" }).first().click();
    await page.getByRole("img", { name: "IMG_1" }).waitFor();
    const picture = page.locator(".picture");
    const size = await picture.evaluate(({ width, height }: HTMLCanvasElement) => [width, height]);
    assertEquals(size, [1365, 2048], "turned, as the orientation said");
  });
});

Deno.test("widget: touch devices can take a photo, of images only", async () => {
  const context = { hasTouch: true, isMobile: true };
  for (const [offers, count] of [[["images"], 1], [["documents"], 0]] as const) {
    await onOpenSite(
      { context, width: 360, height: 740, appearance: { offers } } as SiteOptions,
      async ({ page, chat }) => {
        await page.getByRole("button", { name: "More" }).click();
        await page.getByRole("button", { name: "Attach a file" }).waitFor();
        const camera = page.getByRole("button", { name: "Take a photo" });
        assertEquals(await camera.count(), count);
        if (count === 0) return;
        const chooser = page.waitForEvent("filechooser");
        await camera.click();
        const input = (await chooser).element();
        assertEquals(await input.getAttribute("capture"), "environment");
        assertEquals(await input.getAttribute("accept"), "image/*,");
        await (await chooser).setFiles(png("camera.png"));
        await announced(page, "camera.png: Attached");
        assertEquals(chat.uploads.length, 1);
      },
    );
  }
});

Deno.test("widget: files can be attached, opened and removed by keyboard", async () => {
  await onOpenSite({}, async ({ page }) => {
    await page.getByRole("button", { name: "More" }).focus();
    await page.keyboard.press("Enter");
    const chooser = page.waitForEvent("filechooser");
    await page.waitForFunction(() =>
      document.querySelector("service-widget")!.shadowRoot!.activeElement?.className === "item"
    );
    await page.keyboard.press("Enter");
    await (await chooser).setFiles([png()]);
    await announced(page, "photo.png: Attached");
    assertEquals(await focused(page), "tool more");
    await page.keyboard.press("Shift+Tab");
    await page.keyboard.press("Enter");
    await page.locator(".file").waitFor({ state: "detached" });
    assertEquals(await focused(page), "tool more");
    assertMatch(await page.locator(".composer").ariaSnapshot(), /button "More"/);
  });
});

Deno.test("widget: files are clear to axe in every theme, from right to left, and fit a small screen", async () => {
  await withBrowser(async (browser) => {
    const cases = [
      { attributes: `data-theme="light"` },
      { attributes: `data-theme="dark"` },
      { attributes: `data-lang="ar"`, width: 320, height: 640 },
      { context: { forcedColors: "active", reducedMotion: "reduce" } },
    ] as const;
    for (const options of cases) {
      await onOpenSite({ browser, ...options } as SiteOptions, async ({ page, chat, console }) => {
        chat.rejections.push(Response.json({}, { status: 500 }));
        const long = `${"long-".repeat(20)}.png`;
        await give(page, "paste", note(), png(), png(long));
        await page.locator(".file canvas").nth(1).waitFor();
        await page.locator(".files .file > button").nth(4).waitFor();
        assertEquals(await violations(page), []);
        const { width } = page.viewportSize()!;
        const boxes = await page.locator(".file, .file button").evaluateAll((all) =>
          all.map((one) => one.getBoundingClientRect()).map(({ left, right, height }) => {
            return [left >= 0, right <= innerWidth, height >= 24];
          })
        );
        assertEquals(boxes.flat().filter((one) => !one), [], `${width} px`);
        assertEquals(console.filter(({ type }) => type !== "error"), []);
      });
    }
  });
});
