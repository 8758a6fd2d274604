import type { Coverage } from "../../schemas/coverage.ts";
import type { GapReason } from "../../schemas/gap_reasons.ts";
import type { UnansweredState } from "../../schemas/unanswered.ts";
import { msg } from "../texts/translate.ts";

export const REASON_LABELS: Record<GapReason, string> = {
  nothing_found: msg("Nothing found"),
  little_found: msg("Little found"),
  rated_down: msg("Rated down"),
  handed_off: msg("Handed off"),
};

export const STATE_LABELS: Record<UnansweredState, string> = {
  open: msg("Unanswered"),
  written: msg("Answer written"),
  answered: msg("Answered"),
  dismissed: msg("Dismissed"),
};

export const COVERAGE_LABELS: Record<Coverage, string> = {
  nothing: msg("The search found nothing"),
  little: msg("The search found little"),
  enough: msg("The search found enough"),
};
