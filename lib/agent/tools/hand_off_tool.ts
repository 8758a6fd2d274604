import { HAND_OFF, HANDOFF_BOUNDS } from "../../schemas/handoff.ts";
import type { CallableTool } from "./callable_tool.ts";

/** What the model learns about its request for a person. */
export type HandOffOutcome =
  | { state: "waiting" | "taken"; note: string }
  | { state: "unavailable"; note: string };

/** Asks for a person to take the conversation. */
export type RequestPerson = (reason: string) => Promise<HandOffOutcome>;

const DESCRIPTION = "Hands this conversation over to a person of the team. Use it when the user " +
  "asks for a person, or when you cannot help and a person could. Afterwards tell the user in one " +
  "or two sentences what the result says; do not promise when somebody will answer.";

const PARAMETERS = {
  type: "object",
  properties: {
    reason: {
      type: "string",
      minLength: 1,
      maxLength: HANDOFF_BOUNDS.reason,
      description: "Why a person is needed, in one or two sentences for that person.",
    },
  },
  required: ["reason"],
  additionalProperties: false,
};

/** Creates the tool of an agent whose model may hand off. */
export function handOffTool(requestPerson: RequestPerson): CallableTool {
  return {
    tool: { name: HAND_OFF, description: DESCRIPTION, parameters: PARAMETERS },
    storesArguments: true,
    call: async ({ reason }) => await requestPerson(reason as string),
  };
}
