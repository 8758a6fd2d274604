/** Groups of operations, in the order they are read in. */
export const TAGS = {
  Agents: "What answers: a prompt, a model, tools, a budget and the pages that may embed it.",
  Sessions: "Short-lived tokens that are safe in a browser, each for one agent on one origin.",
  Chat: "Messages in, frames out.",
  Conversations: "What was said, and what it cost.",
  "Knowledge bases": "Documents that agents answer from, and the passages found in them.",
  Usage: "What was used and what it cost, against the limits of the plan.",
  Widget: "The script that puts a chat on a page.",
  Service: "Health, and this document.",
} as const;
export type TagName = keyof typeof TAGS;
