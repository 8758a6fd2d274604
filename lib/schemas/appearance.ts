import { z } from "zod";
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
  const [, type, base64] = IMAGE_ADDRESS.exec(value) ?? [];
  if (type === undefined || base64 === undefined || base64.length % 4 !== 0) return false;
  const start = atob(base64.slice(0, 24));
  return IMAGE_STARTS[type]!.some((bytes) => start.startsWith(bytes)) &&
    (type !== "webp" || start.startsWith("WEBP", 8));
}

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
  accent: z.string().regex(/^#[0-9a-fA-F]{6}$/, "must be #rrggbb").toLowerCase().optional()
    .describe("`#rrggbb`; the color of text on it is computed."),
  theme: z.enum(["auto", "light", "dark"]).optional().describe("`auto` follows the system."),
  position: z.enum(["right", "left"]).optional().describe("Side of the screen."),
  feedback: z.enum(["on", "off"]).optional()
    .describe("Whether visitors can rate answers. Default: `on`."),
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

/** An appearance as pages get it: without a title of its own, it has the agent's name. */
export const shownAppearanceSchema = appearanceSchema.extend({
  title: z.string().min(1).max(FIELD_BOUNDS.agentName).optional()
    .describe("The agent's name, if the appearance has no title."),
});

/** An agent's appearance with its defaults. */
export function shownAppearance(agentName: string, appearance: Appearance): Appearance {
  return { ...appearance, title: appearance.title ?? agentName };
}
