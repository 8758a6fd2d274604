import type { Context } from "fresh";
import type { State } from "@/utils.ts";
import { HANDOFF_BOUNDS, personMessageSchema, personNameSchema } from "../../schemas/handoff.ts";
import type { SignedInUser } from "../../services/signed_in_user.ts";
import type { HandoffEvent } from "../../store/handoffs/handoff_transition.ts";
import { signedIn } from "../authorization.ts";
import { t } from "../texts/translate.ts";
import { locateConversation } from "./read_handoff.ts";

/** What was typed, and why it was not accepted. */
export interface RejectedAction {
  status: number;
  issue: string;
  text: string;
  name: string;
}

export type ActionResult =
  | { done: "handoff_taken" | "handoff_returned" | "handoff_closed" | undefined }
  | { rejected: RejectedAction };

type PersonEvent = Extract<HandoffEvent, { type: "take" | "say" | "return" | "close" }>;

const NOTICES = {
  take: "handoff_taken",
  return: "handoff_returned",
  close: "handoff_closed",
  say: undefined,
} as const;

/** Carries out a form of the hand-off panel; `undefined` if there is no such conversation. */
export async function actOnHandoff(
  ctx: Context<State>,
  form: URLSearchParams,
): Promise<ActionResult | undefined> {
  const place = await locateConversation(ctx);
  if (place === undefined) return undefined;
  const user = signedIn(ctx.state);
  const [text, name] = [form.get("text") ?? "", form.get("name") ?? ""];
  const reject = (status: number, issue: string): ActionResult => ({
    rejected: { status, issue, text, name },
  });
  const event = toEvent(form.get("action") ?? "", { user, text, name });
  if (event === "invalid_text") {
    return reject(400, t("Enter 1 to {max} characters.", { max: HANDOFF_BOUNDS.personMessage }));
  }
  if (event === "invalid_name") {
    return reject(
      400,
      t("Enter a name of 1 to {max} characters.", { max: HANDOFF_BOUNDS.personName }),
    );
  }
  const { handoffs, conversationAudit } = ctx.state.service;
  const { tenant, id } = place.name;
  // Messages are not in the audit log: the feed has them, with their author.
  const extend = event.type === "say"
    ? undefined
    : conversationAudit.handoffRecord({ tenant, id, action: event.type });
  const head = await handoffs.act(place.name, event, extend);
  if (head !== undefined) return { done: NOTICES[event.type] };
  return reject(
    409,
    t("This is no longer possible: someone else was faster, or the conversation has ended."),
  );
}

function toEvent(
  action: string,
  { user, text, name }: { user: SignedInUser; text: string; name: string },
): PersonEvent | "invalid_text" | "invalid_name" {
  switch (action) {
    case "take": {
      const parsed = personNameSchema.safeParse(name);
      if (!parsed.success) return "invalid_name";
      return { type: "take", person: { id: user.id, name: parsed.data } };
    }
    case "return":
    case "close":
      return { type: action };
    default: {
      const parsed = personMessageSchema.safeParse(text);
      if (!parsed.success) return "invalid_text";
      return { type: "say", userId: user.id, text: parsed.data };
    }
  }
}

/** A first name from an address such as `anna.berg@example.com`, to be changed by the person. */
export function suggestedName({ email }: SignedInUser): string {
  const [word = ""] = email.split(/[@._+\d-]/);
  const name = word.slice(0, HANDOFF_BOUNDS.personName);
  return name.charAt(0).toUpperCase() + name.slice(1);
}
