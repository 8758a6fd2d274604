import type { Languages } from "../locales.ts";
import { ANSWER_TEXTS } from "./answer/answer_texts.ts";
import { BRANCH_TEXTS } from "./branch/branch_texts.ts";
import { CALLS_TEXTS } from "./calls/calls_texts.ts";
import { CONVERSATIONS_TEXTS } from "./conversations/conversations_texts.ts";
import { ATTACHMENT_TEXTS } from "./attachments/attachments_texts.ts";
import { FEEDBACK_TEXTS } from "./feedback/feedback_texts.ts";
import { LIMITS_TEXTS } from "./limits/limits_texts.ts";
import { HANDOFF_TEXTS } from "./handoff/handoff_texts.ts";
import { MEMORY_TEXTS } from "./memory/memory_texts.ts";
import { MENU_TEXTS } from "./menu/menu_texts.ts";
import { VOICE_TEXTS } from "./voice/voice_texts.ts";
import { SWITCH_TEXTS } from "./switches/switch_texts.ts";

/** The texts of the features, in the order of the numbers in text_ids.ts. */
const FEATURES: readonly Languages[] = [
  FEEDBACK_TEXTS,
  ANSWER_TEXTS,
  MENU_TEXTS,
  BRANCH_TEXTS,
  VOICE_TEXTS,
  CONVERSATIONS_TEXTS,
  LIMITS_TEXTS,
  SWITCH_TEXTS,
  ATTACHMENT_TEXTS,
  HANDOFF_TEXTS,
  CALLS_TEXTS,
  MEMORY_TEXTS,
];

/**
 * The texts of the extras: for each language a line for each feature. The build writes them to a file of
 * their own, of which a browser loads its visitor's language.
 */
export const EXTRAS_LANGUAGES: Languages = Object.fromEntries(
  Object.keys(FEEDBACK_TEXTS).map((lang) => [
    lang,
    FEATURES.map((texts) => texts[lang]).join("\n"),
  ]),
);
