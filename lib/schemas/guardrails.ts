import { z } from "zod";
import { GUARDRAIL_BOUNDS as B } from "./limits.ts";
import { plainText } from "./plain_text.ts";
import { PROVIDER_IDS } from "./provider_id.ts";

/** Personal data that guardrails find, each by its own form and, where it has one, its checksum. */
export const PERSONAL_DATA = ["card", "iban", "email", "phone"] as const;
export type PersonalDataKind = typeof PERSONAL_DATA[number];

/** `mask` replaces the match; the other two end the answer. */
export const GUARDRAIL_ACTIONS = ["mask", "block", "hand_off"] as const;
export type GuardrailAction = typeof GUARDRAIL_ACTIONS[number];

/** What a classifier can lead to: it judges a whole text, so there is nothing to replace. */
export const CLASSIFIER_ACTIONS = ["block", "hand_off"] as const;

export const GUARDRAIL_SIDES = ["input", "output"] as const;
export type GuardrailSide = typeof GUARDRAIL_SIDES[number];

const action = z.enum(GUARDRAIL_ACTIONS).describe(
  "`mask` replaces each match, `block` ends the answer with `message`, and `hand_off` asks for a " +
    "person, which requires `handoff` by the model. On the input side every match is also replaced.",
);

const denyWord = plainText(z.string().trim().overwrite(oneLine).min(1).max(B.wordLength))
  .refine((word) => /[\p{L}\p{N}\p{So}]/u.test(word), "must contain a letter, a digit or a symbol");

/** The dashboard edits one word or phrase per line. */
function oneLine(text: string): string {
  return text.replace(/\s+/g, " ");
}

const denyWords = z.strictObject({
  words: z.array(denyWord).min(1).max(B.words).describe(
    "Words and phrases, matched as whole words without regard to case, width, invisible " +
      "characters, look-alike letters and Markdown emphasis.",
  ),
  action,
});

const personalData = z.strictObject({
  kinds: z.array(z.enum(PERSONAL_DATA)).min(1).max(PERSONAL_DATA.length)
    .refine((kinds) => new Set(kinds).size === kinds.length, "must not repeat a value")
    .describe("Payment cards and IBANs with valid checksums, e-mail addresses, phone numbers."),
  action,
});

const classifier = z.strictObject({
  provider: z.enum(PROVIDER_IDS),
  model: z.string().min(1).max(256).describe("Must be in the tenant's plan; choose a cheap one."),
  policy: plainText(z.string().trim().min(1).max(B.policy))
    .describe("What is not allowed, in plain words for the model."),
  action: z.enum(CLASSIFIER_ACTIONS),
  failClosed: z.boolean().optional().describe(
    "Whether a text that could not be judged counts as not allowed: the model is unreachable, " +
      "takes over 10 seconds or answers something else. False by default.",
  ),
});

const side = z.strictObject({
  denyWords: denyWords.optional(),
  personalData: personalData.optional(),
  classifier: classifier.optional(),
  message: plainText(z.string().trim().min(1).max(B.message)).optional()
    .describe("Shown when the answer ends. A short English sentence by default."),
});
export type SideGuardrails = z.infer<typeof side>;

/** The optional field `guardrails` of an agent. */
export const guardrailsSchema = z.strictObject({
  input: side.optional().describe(
    "What users write, before it is stored and before the model reads it.",
  ),
  output: side.optional().describe(
    "What the model writes, before it is shown or stored, and the arguments and results of tools " +
      "in frames. The classifier reads the text only.",
  ),
}).describe("Bounds on what goes into the model and what comes out of it.");
export type Guardrails = z.infer<typeof guardrailsSchema>;

export const GUARDRAIL_RULES = [...PERSONAL_DATA, "deny_words", "classifier"] as const;
export type GuardrailRule = typeof GUARDRAIL_RULES[number];

/** How often a rule acted in a run; never with the text. */
export const guardrailHitSchema = z.object({
  side: z.enum(GUARDRAIL_SIDES),
  rule: z.enum(GUARDRAIL_RULES),
  action: z.enum([...GUARDRAIL_ACTIONS, "allow"])
    .describe("`allow`: the classifier could not judge a text, and the setting lets it pass."),
  count: z.int().positive(),
  unavailable: z.boolean().optional().describe("The classifier could not judge the text."),
});
export type GuardrailHit = z.infer<typeof guardrailHitSchema>;

/** Every action that guardrails of an agent may take. */
export function guardrailActions({ input, output }: Guardrails): GuardrailAction[] {
  return [input, output].flatMap((one) =>
    [one?.denyWords, one?.personalData, one?.classifier].flatMap((rule) => rule?.action ?? [])
  );
}

/** By their names in the API document. */
export const GUARDRAIL_SCHEMAS = {
  Guardrails: guardrailsSchema,
  GuardrailHit: guardrailHitSchema,
};
