import type { Rating } from "../../schemas/rating.ts";
import type { RatingFilter } from "../../store/conversations/conversation_index.ts";
import { msg, t } from "../texts/translate.ts";

export const RATING_LABELS: Record<Rating, string> = {
  up: msg("Rated up"),
  down: msg("Rated down"),
};

export const RATING_FILTER_LABELS: Record<RatingFilter, string> = {
  ...RATING_LABELS,
  comment: msg("With comment"),
};

const REASON_LABELS = new Map(Object.entries({
  incorrect: msg("Incorrect"),
  incomplete: msg("Incomplete"),
  off_topic: msg("Off topic"),
  tone: msg("Tone"),
  other: msg("Another reason"),
}));

/** Clients choose the reasons; those that are suggested to them have labels. */
export function reasonLabel(reason: string): string {
  const label = REASON_LABELS.get(reason);
  return label === undefined ? reason : t(label);
}
