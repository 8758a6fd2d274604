import { z } from "zod";
import { plainText } from "./plain_text.ts";

export const HANDOFF_BOUNDS = {
  message: 500,
  /** Intervals of a week: three for each day. */
  intervals: 21,
  answerWithinMinutes: 24 * 60,
  reason: 500,
  personName: 60,
  personMessage: 8_000,
  email: 254,
  contactMessage: 4_000,
} as const;

/** Applies unless an agent sets `answerWithinMinutes`. */
export const DEFAULT_ANSWER_MINUTES = 5;

export const WEEKDAYS = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"] as const;
export type Weekday = typeof WEEKDAYS[number];

/** Who may ask for a person: the model with its tool `hand_off`, or the visitor. */
export const HANDOFF_REQUESTERS = ["model", "visitor"] as const;
export type HandoffRequester = typeof HANDOFF_REQUESTERS[number];

/** The tool's name, reserved in agents whose model may hand off. */
export const HAND_OFF = "hand_off";

const time = z.string().regex(/^(?:(?:[01]\d|2[0-3]):[0-5]\d|24:00)$/, "must be HH:MM");

const interval = z.strictObject({
  day: z.enum(WEEKDAYS),
  from: time.describe("Local time, `HH:MM`."),
  to: time.describe("Local time after `from`, not included; `24:00` is the end of the day."),
}).refine(({ from, to }) => from < to, { path: ["to"], message: "must be after from" });

/** True for an IANA name, such as `Europe/Berlin`; offsets do not follow daylight saving time. */
export function isTimeZone(name: string): boolean {
  if (!/^[A-Za-z]/.test(name)) return false;
  try {
    new Intl.DateTimeFormat("en", { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

const businessHours = z.strictObject({
  timeZone: z.string().max(64).refine(isTimeZone, "must be an IANA time zone")
    .describe("IANA time zone, such as `Europe/Berlin`."),
  week: z.array(interval).min(1).max(HANDOFF_BOUNDS.intervals).superRefine((week, ctx) => {
    week.forEach((one, n) => {
      const overlaps = week.slice(0, n).some((other) =>
        other.day === one.day && other.from < one.to && one.from < other.to
      );
      if (overlaps) {
        ctx.addIssue({ code: "custom", path: [n], message: "overlaps another interval" });
      }
    });
  }).describe("When people answer, each week. Intervals of a day must not overlap."),
});
export type BusinessHours = z.infer<typeof businessHours>;

/** The optional field `handoff` of an agent. */
export const handoffSchema = z.strictObject({
  enabled: z.boolean().describe(
    "If false, nobody can ask for a person; conversations that a person has are not affected.",
  ),
  by: z.array(z.enum(HANDOFF_REQUESTERS)).min(1).max(HANDOFF_REQUESTERS.length)
    .refine((by) => new Set(by).size === by.length, "must not repeat a value")
    .describe("`model` adds the tool `hand_off`, `visitor` allows `POST …/handoff`."),
  message: plainText(z.string().min(1).max(HANDOFF_BOUNDS.message))
    .describe("Shown to the visitor while the conversation waits for a person or has one."),
  businessHours: businessHours.optional()
    .describe("Without it, people answer at any time."),
  answerWithinMinutes: z.int().min(1).max(HANDOFF_BOUNDS.answerWithinMinutes).optional()
    .describe(
      `If nobody takes the conversation in this time, the agent has it again; ` +
        `${DEFAULT_ANSWER_MINUTES} by default.`,
    ),
  form: z.boolean().optional().describe(
    "Whether the visitor is asked for an e-mail address and a message when nobody is there.",
  ),
}).describe("Hand-off of conversations to people. Requires a plan that stores conversations.");
export type HandoffSettings = z.infer<typeof handoffSchema>;

export const HANDOFF_STATES = ["waiting", "taken", "returned", "closed"] as const;
export type HandoffState = typeof HANDOFF_STATES[number];

/** Why a conversation went back to the agent without a person's decision. */
export const HANDOFF_CAUSES = ["outside_hours", "no_answer", "switched_off"] as const;
export type HandoffCause = typeof HANDOFF_CAUSES[number];

const person = z.string().describe("The name that the person shows to the visitor.");
const cause = z.enum(HANDOFF_CAUSES).optional().describe(
  "Why the agent has the conversation again without a person's decision: outside business hours, " +
    "nobody answered in time, or the agent's `handoff` was removed.",
);
const form = z.boolean()
  .describe("Whether the visitor may leave an e-mail address and a message: `POST …/contact`.");

/** Answer of `GET` and `POST /v1/chat/conversations/:id/handoff`. */
export const handoffStatusSchema = z.object({
  conversationId: z.uuid(),
  offered: z.boolean().describe("Whether the visitor may ask for a person now."),
  state: z.enum(["none", ...HANDOFF_STATES])
    .describe("`none`: nobody has asked for a person in this conversation."),
  cause,
  person: person.optional(),
  requestedAt: z.iso.datetime().optional(),
  answerBy: z.iso.datetime().optional().describe("While `waiting`: until when."),
  message: z.string().optional().describe("The agent's `handoff.message`."),
  form,
});
export type HandoffStatus = z.infer<typeof handoffStatusSchema>;

/** The frames of `GET /v1/chat/conversations/:id/stream`, as one closed union. */
export const feedFrameSchema = z.discriminatedUnion("type", [
  z.strictObject({
    type: z.literal("state"),
    state: z.enum(HANDOFF_STATES),
    cause,
    person: person.optional(),
    form,
  }),
  z.strictObject({
    type: z.literal("message"),
    text: z.string(),
    person,
    at: z.iso.datetime(),
  }),
  z.strictObject({ type: z.literal("typing") }),
]);
export type FeedFrame = z.infer<typeof feedFrameSchema>;

const at = z.iso.datetime();

const handoffTranscriptEntrySchema = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("state"),
    state: z.enum(HANDOFF_STATES),
    cause,
    person: person.optional(),
    by: z.enum(HANDOFF_REQUESTERS).optional().describe("Who asked for a person."),
    reason: z.string().optional().describe("Why the model asked."),
    at,
  }),
  z.object({
    type: z.literal("visitor"),
    text: z.string(),
    runId: z.uuid().describe("The run that the message was accepted as."),
    at,
  }),
  z.object({ type: z.literal("person"), text: z.string(), person, at }),
  z.object({ type: z.literal("contact"), email: z.string(), message: z.string(), at })
    .describe("What the visitor left because nobody was there."),
]);
export type HandoffTranscriptEntry = z.infer<typeof handoffTranscriptEntrySchema>;

/** What was said while people had a conversation. */
export const handoffTranscriptSchema = z.object({
  state: z.enum(HANDOFF_STATES),
  cause,
  requestedAt: at.describe("Of the last request for a person."),
  person: person.optional().describe("Who has it, or had it last."),
  entries: z.array(handoffTranscriptEntrySchema).describe("Oldest first; the latest 500."),
});
export type HandoffTranscript = z.infer<typeof handoffTranscriptSchema>;

/** Body of `POST /v1/chat/conversations/:id/contact`. */
export const contactBodySchema = z.strictObject({
  email: z.email().max(HANDOFF_BOUNDS.email),
  message: plainText(z.string().trim().min(1).max(HANDOFF_BOUNDS.contactMessage)),
});
export type ContactBody = z.infer<typeof contactBodySchema>;

/** What a person writes in the dashboard. */
export const personMessageSchema = plainText(
  z.string().trim().min(1).max(HANDOFF_BOUNDS.personMessage),
);
export const personNameSchema = plainText(
  z.string().trim().min(1).max(HANDOFF_BOUNDS.personName),
);

/** By their names in the API document. */
export const HANDOFF_SCHEMAS = {
  Handoff: handoffSchema,
  HandoffStatus: handoffStatusSchema,
  HandoffTranscript: handoffTranscriptSchema,
  FeedFrame: feedFrameSchema,
  ContactBody: contactBodySchema,
};
