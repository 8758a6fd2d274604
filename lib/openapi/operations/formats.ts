import { EXAMPLES } from "../examples.ts";
import { json, ok, operations } from "../operation.ts";

const { id: agentId } = EXAMPLES.agent;

const RUN_ERRORS = [
  "not_found",
  "stream_expired",
  "plan_limit_exceeded",
  "provider_error",
  "provider_rate_limited",
  "provider_timeout",
] as const;

const MODEL = {
  ...{ id: agentId, object: "model", created: 1_768_478_400 },
  ...{ owned_by: "agent-chat", name: "Shop" },
};

const OPENAI_OPERATIONS = operations({
  tag: "Other clients",
  auth: "chat key",
  rateLimited: true,
  openAi: true,
}, {
  "POST /v1/openai/chat/completions": {
    id: "createChatCompletion",
    summary: "Chat in OpenAI's Chat Completions format",
    description:
      "For clients with an OpenAI base URL: `<this service>/v1/openai`. `model` is an agent's id. The " +
      "request is a message like any other, with the same limits and the same record. The agent runs its " +
      "own tools; `system` messages are passed to it as notes of the application. A client that " +
      "disconnects cancels the run. `usage` has `cost_usd`, and `x-run-id` names the run.",
    idempotent: true,
    body: {
      schema: "OpenAiChatBody",
      example: {
        model: agentId,
        stream: true,
        messages: [{ role: "user", content: "Where is my order?" }],
      },
    },
    responses: [{
      status: 200,
      description: "A completion; with `stream`, its chunks as server-sent events.",
      headers: ["x-run-id", "x-plan-warning"],
      content: [{ type: "application/json" }, { type: "text/event-stream" }],
    }],
    errors: [...RUN_ERRORS],
  },
  "POST /v1/openai/responses": {
    id: "createResponse",
    summary: "Chat in OpenAI's Responses format",
    description: "As for chat completions. Tool calls of the agent are items of type `mcp_call`. " +
      "`previous_response_id` continues a stored conversation.",
    idempotent: true,
    body: {
      schema: "OpenAiResponsesBody",
      example: { model: agentId, input: "Where is my order?" },
    },
    responses: [{
      status: 200,
      description: "A response; with `stream`, its events.",
      headers: ["x-run-id", "x-plan-warning"],
      content: [{ type: "application/json" }, { type: "text/event-stream" }],
    }],
    errors: [...RUN_ERRORS],
  },
  "GET /v1/openai/models": {
    id: "listModels",
    summary: "List agents as models",
    responses: [
      ok(
        "The newest agents, at most 1,000.",
        json("OpenAiModelList", { object: "list", data: [MODEL] }),
      ),
    ],
  },
  "GET /v1/openai/models/{id}": {
    id: "getModel",
    summary: "Read an agent as a model",
    parameters: ["agentId"],
    responses: [ok("The agent.", json("OpenAiModel", MODEL))],
    errors: ["not_found"],
  },
});

const AG_UI_OPERATIONS = operations({
  tag: "Other clients",
  auth: "key or session",
  rateLimited: true,
  browser: true,
}, {
  "POST /v1/ag-ui/{agentId}": {
    id: "runAgUi",
    summary: "Chat in the AG-UI format",
    description:
      "For AG-UI front ends. The response is a stream of AG-UI events. Pages send their session token in " +
      "`X-Service-Session`. The agent runs its own tools and ignores those of the page.",
    idempotent: true,
    parameters: [
      {
        ...{ name: "agentId", in: "path", required: true, description: "The agent's id." },
        schema: { type: "string", format: "uuid" },
      },
      "pageOrigin",
    ],
    body: {
      schema: "AgUiInput",
      example: {
        ...{ threadId: "thread-1", runId: "run-1", protocolVersion: "1.0" },
        messages: [{ id: "1", role: "user", content: "Where is my order?" }],
      },
    },
    responses: [{
      status: 200,
      description: "The events of the run.",
      headers: ["x-run-id", "x-plan-warning", "Cache-Control"],
      content: { type: "text/event-stream" },
    }],
    errors: ["origin_not_allowed", ...RUN_ERRORS],
  },
});

/** The routes for clients of other formats. */
export const FORMAT_OPERATIONS = [...OPENAI_OPERATIONS, ...AG_UI_OPERATIONS];
