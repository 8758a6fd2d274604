/** Why a question counts as unanswered. */
export const GAP_REASONS = ["nothing_found", "little_found", "rated_down", "handed_off"] as const;
export type GapReason = typeof GAP_REASONS[number];
