import { FOLLOW_UP_BOUNDS } from "../../schemas/limits.ts";
import type { CallableTool } from "./callable_tool.ts";

/** The tool's name, reserved in agents with `followUps`. */
export const SUGGEST_FOLLOW_UPS = "suggest_follow_ups";

const { questions, questionLength } = FOLLOW_UP_BOUNDS;

const DESCRIPTION =
  "Shows the user up to three short questions to ask next, as buttons below your " +
  "answer. Call it once, together with the end of your answer: write the whole answer first, and " +
  "call this in the same turn. Write each question as the user would ask it, in the user's " +
  "language, and only if you can answer it. Do not repeat the questions in your answer.";

const PARAMETERS = {
  type: "object",
  properties: {
    questions: {
      type: "array",
      minItems: 1,
      maxItems: questions,
      items: { type: "string", minLength: 1, maxLength: questionLength },
      description: "What the user may want to ask next, the most useful question first.",
    },
  },
  required: ["questions"],
  additionalProperties: false,
};

/** Creates the tool of an agent with `followUps`. The call itself is the message to the page. */
export function suggestFollowUpsTool(): CallableTool {
  return {
    tool: { name: SUGGEST_FOLLOW_UPS, description: DESCRIPTION, parameters: PARAMETERS },
    endsAnswer: true,
    call: () => Promise.resolve({ ok: true }),
  };
}
