import { assert, assertEquals } from "@std/assert";
import { LANGUAGES } from "../languages.ts";
import * as answer from "./answer/answer_ids.ts";
import * as branch from "./branch/branch_ids.ts";
import * as calls from "./calls/calls_ids.ts";
import * as conversations from "./conversations/conversations_ids.ts";
import * as attachments from "./attachments/attachments_ids.ts";
import * as feedback from "./feedback/feedback_ids.ts";
import * as limits from "./limits/limits_ids.ts";
import * as handoff from "./handoff/handoff_ids.ts";
import * as memory from "./memory/memory_ids.ts";
import * as menu from "./menu/menu_ids.ts";
import * as voice from "./voice/voice_ids.ts";
import * as switches from "./switches/switch_ids.ts";
import { textOf } from "./text_ids.ts";
import { EXTRAS_LANGUAGES } from "./texts.ts";

/** In the order of the features. */
const IDS: readonly Record<string, number>[] = [
  feedback,
  answer,
  menu,
  branch,
  voice,
  conversations,
  limits,
  switches,
  attachments,
  handoff,
  calls,
  memory,
];

Deno.test("EXTRAS_LANGUAGES: every string in each language of the widget", () => {
  assertEquals(Object.keys(EXTRAS_LANGUAGES).sort(), Object.keys(LANGUAGES).sort());
  for (const [lang, text] of Object.entries(EXTRAS_LANGUAGES)) {
    const features = text.split("\n").map((line) => line.split("|"));
    assertEquals(features.length, IDS.length, lang);
    features.forEach((strings, n) => {
      assertEquals(strings.length, Object.keys(IDS[n]!).length, `${lang}, feature ${n}`);
      assert(strings.every((one) => one.trim() === one && one !== ""), `${lang}, feature ${n}`);
    });
  }
});

Deno.test("textOf: each id has a string of its own", () => {
  for (const [n, ids] of IDS.entries()) {
    const strings = EXTRAS_LANGUAGES.en!.split("\n")[n]!.split("|");
    const found = Object.values(ids).sort((a, b) => a - b)
      .map((id) => textOf(EXTRAS_LANGUAGES.en!, id));
    assertEquals(found, strings);
  }
});
