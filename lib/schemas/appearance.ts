import { z } from "zod";
import type { HandoffSettings } from "./handoff.ts";
import { APPEARANCE_BOUNDS as B, FIELD_BOUNDS } from "./limits.ts";
import { plainText } from "./plain_text.ts";
import { WIDGET_LANGUAGES } from "./widget_languages.ts";

/** The first bytes of each image type. */
const IMAGE_STARTS: Record<string, readonly string[]> = {
  png: ["\x89PNG\r\n\x1a\n"],
  jpeg: ["\xff\xd8\xff"],
  webp: ["RIFF"],
};
const IMAGE_ADDRESS = /^data:image\/(png|jpeg|webp);base64,([A-Za-z0-9+/]+={0,2})$/;

const text = (max: number) => plainText(z.string().trim().min(1).max(max));

/** A letter, an emoji, or a small image as a `data:` address. */
function isAvatar(value: string): boolean {
  // Reported by its length alone.
  if (value.length > B.avatarLength) return true;
  if (!value.startsWith("data:")) return [...new Intl.Segmenter().segment(value)].length === 1;
  return isImage(value);
}

/** An image as a `data:` address. */
function isImage(value: string): boolean {
  const [, type, base64] = IMAGE_ADDRESS.exec(value) ?? [];
  if (type === undefined || base64 === undefined || base64.length % 4 !== 0) return false;
  const start = atob(base64.slice(0, 24));
  return IMAGE_STARTS[type]!.some((bytes) => start.startsWith(bytes)) &&
    (type !== "webp" || start.startsWith("WEBP", 8));
}

const onOrOff = z.enum(["on", "off"]).optional();

/**
 * How the widget looks and what it says around the conversation. The names are those of the script
 * tag's `data-*` attributes, which win over these.
 */
export const appearanceSchema = z.strictObject({
  title: text(B.title).optional().describe("Default: the agent's name."),
  avatar: plainText(z.string().min(1).max(B.avatarLength))
    .refine(isAvatar, "must be one letter or emoji, or a PNG, JPEG or WebP as data: address")
    .optional()
    .describe("One letter or emoji, or a PNG, JPEG or WebP image as a base64 `data:` address."),
  logo: plainText(z.string().min(1).max(B.logoLength))
    .refine(
      (value) => value.length > B.logoLength || isImage(value),
      "must be a PNG, JPEG or WebP as data: address",
    )
    .optional()
    .describe(
      "A PNG, JPEG or WebP image as a base64 `data:` address, which may be wide. Shown at the top " +
        "of the panel instead of the avatar; `title` is its text alternative.",
    ),
  accent: z.string().regex(/^#[0-9a-fA-F]{6}$/, "must be #rrggbb").toLowerCase().optional()
    .describe("`#rrggbb`; the color of text on it is computed."),
  theme: z.enum(["auto", "light", "dark"]).optional().describe("`auto` follows the system."),
  position: z.enum(["right", "left"]).optional().describe("Side of the screen."),
  feedback: onOrOff.describe("Whether visitors can rate answers. Default: `on`."),
  wide: onOrOff.describe("Whether visitors can widen the panel. Default: `on`."),
  sound: onOrOff.describe(
    "Whether visitors can have a quiet sound played when an answer arrives. Default: `off`.",
  ),
  limits: onOrOff.describe(
    "Whether visitors see what is left of their limits. Default: `off`.",
  ),
  voice: onOrOff.describe(
    "Whether visitors can dictate and have answers read aloud, where the browser can. Default: `on`.",
  ),
  history: onOrOff.describe(
    "Whether visitors see their earlier conversations. Default: `on`.",
  ),
  greeting: text(B.greeting).optional().describe("First sentence of an empty conversation."),
  suggestions: z.array(text(B.suggestionLength).refine((one) => !one.includes("|"), "contains |"))
    .max(B.suggestions).optional().describe("Questions that a visitor can ask with one click."),
  lang: z.enum(WIDGET_LANGUAGES).optional()
    .describe("Language of the widget's own texts. Default: the page's."),
  privacyText: text(B.privacyText).optional().describe("A line below the message field."),
  privacyUrl: z.url({ protocol: /^https?$/ }).max(B.urlLength).optional()
    .describe("Makes that line a link."),
}).describe("Look and texts of the chat widget; `data-*` attributes of the script tag win.");
export type Appearance = z.infer<typeof appearanceSchema>;

/** What an agent offers beside answers. */
export const agentOffersSchema = z.array(z.enum(["images", "documents", "handoff", "memory"])).min(
  1,
)
  .describe(
    "What the agent offers: messages may have images or documents, visitors may ask for a person, and " +
      "see what the agent remembers about them. Derived from its settings, so it cannot be set here.",
  );
export type AgentOffers = z.infer<typeof agentOffersSchema>;

/** An appearance as pages get it: without a title of its own, it has the agent's name. */
export const shownAppearanceSchema = appearanceSchema.extend({
  title: z.string().min(1).max(FIELD_BOUNDS.agentName).optional()
    .describe("The agent's name, if the appearance has no title."),
  offers: agentOffersSchema.optional().describe("Absent if the agent offers none of these."),
});
export type ShownAppearance = z.infer<typeof shownAppearanceSchema>;

/** What pages may know of an agent. */
export interface ShownAgent {
  name: string;
  appearance?: Appearance | undefined;
  offers?: AgentOffers | undefined;
}

/**
 * An agent's appearance with its defaults, and what it offers; `undefined` if it has neither. Without
 * an appearance it has no title either, so that a page keeps its own.
 */
export function shownAppearance(
  { name, appearance, offers }: ShownAgent,
): ShownAppearance | undefined {
  if (appearance === undefined && offers === undefined) return undefined;
  return {
    ...appearance && { ...appearance, title: appearance.title ?? name },
    ...offers && { offers },
  };
}

/** What an agent with these settings offers to visitors; `undefined` for nothing. */
export function offersOf({ attachments, handoff, memory }: {
  attachments?: { images?: boolean | undefined; documents?: boolean | undefined } | undefined;
  handoff?: Pick<HandoffSettings, "enabled" | "by"> | undefined;
  memory?: { enabled: boolean } | undefined;
}): AgentOffers | undefined {
  const offers: AgentOffers = [
    ...attachments?.images ? ["images" as const] : [],
    ...attachments?.documents ? ["documents" as const] : [],
    ...handoff?.enabled && handoff.by.includes("visitor") ? ["handoff" as const] : [],
    ...memory?.enabled ? ["memory" as const] : [],
  ];
  return offers.length === 0 ? undefined : offers;
}
