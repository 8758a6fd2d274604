/** Ids of the strings in limits_texts.ts. Inlined by the bundler. */
import { LIMITS } from "../text_ids.ts";

export const BUDGET_USED = LIMITS;
export const AVAILABLE_AGAIN = LIMITS + 1;
