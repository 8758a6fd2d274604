import type { Rehearsal } from "../../schemas/rehearsal.ts";
import { msg } from "../texts/translate.ts";

export const REHEARSAL_STATE_LABELS: Record<Rehearsal["state"], string> = {
  running: msg("Running"),
  done: msg("Done"),
  stopped: msg("Stopped"),
  out_of_budget: msg("Budget used up"),
  interrupted: msg("Interrupted"),
};

export const REHEARSED_RUN_LABELS: Record<Rehearsal["only"], string> = {
  all: msg("All answers"),
  with_tools: msg("Answers that called a tool"),
  rated_down: msg("Answers rated down"),
};
