import { EXAMPLES } from "../examples.ts";
import { json, noContent, ok, operations } from "../operation.ts";

export const UNANSWERED_OPERATIONS = operations({ tag: "Knowledge bases", rateLimited: true }, {
  "GET /v1/unanswered": {
    id: "listUnanswered",
    summary: "List questions that were not answered well",
    description:
      "Groups of similar questions for which `search_knowledge` found nothing or little, whose answers were " +
      "rated down, or that were handed over to a person. Questions of the playground do not count.",
    auth: { scope: "conversations:read" },
    parameters: [
      ...["ofAgent", "gapReason", "unansweredState", "fromAnyDay", "toAnyDay"] as const,
      ...["limit", "cursor"] as const,
    ],
    responses: [ok("One page.", json("UnansweredPage", { data: [EXAMPLES.unansweredGroup] }))],
    errors: ["schema_validation_failed", "not_found"],
  },
  "GET /v1/unanswered/{runId}": {
    id: "getUnanswered",
    summary: "Read a group of questions",
    description: "The group that has this run, with its latest questions.",
    auth: { scope: "conversations:read" },
    parameters: ["runId"],
    responses: [ok("The group.", json("UnansweredReport", EXAMPLES.unansweredReport))],
    errors: ["not_found"],
  },
  "POST /v1/unanswered/{runId}/dismiss": {
    id: "dismissUnanswered",
    summary: "Dismiss a group of questions",
    description: "It is not listed as open until there are new questions.",
    auth: { scope: "conversations:write" },
    parameters: ["runId"],
    responses: [noContent("It is dismissed.")],
    errors: ["not_found", "payload_too_large"],
  },
  "POST /v1/unanswered/{runId}/answer": {
    id: "answerUnanswered",
    summary: "Write the answer to a group of questions",
    description: "Stores it as a document of the agent's knowledge base, or of another one.",
    auth: { scope: "knowledge:write" },
    idempotent: true,
    parameters: ["runId"],
    body: {
      schema: "WrittenAnswer",
      example: { title: "Parking", content: "Caravans may park behind the shop." },
    },
    responses: [{
      status: 201,
      description: "The document is being processed.",
      content: json("Document", EXAMPLES.document),
    }],
    errors: ["not_found", "quota_exceeded"],
  },
  "POST /v1/unanswered/{runId}/ask-again": {
    id: "askUnansweredAgain",
    summary: "Ask the questions of a group again",
    description:
      "Asks the agent up to five different questions of the group again, in the background, to see whether " +
      "the written answer helps. Nothing but models is called, and the knowledge base searched: other tools " +
      "answer with the recorded results. What it may cost is set aside first.",
    auth: { scope: "conversations:write" },
    parameters: ["runId"],
    responses: [{ status: 202, description: "The questions are being asked." }],
    errors: ["not_found", "payload_too_large", "plan_limit_exceeded"],
  },
});
