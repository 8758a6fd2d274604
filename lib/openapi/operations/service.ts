import { EXAMPLES } from "../examples.ts";
import type { Operation, SuccessResponse } from "../operation.ts";

const common = { method: "GET", auth: "none", rateLimited: false } as const;
const script = { type: "text/javascript" } as const;
const unavailable: SuccessResponse = {
  status: 503,
  description: "The service is starting.",
  headers: ["Retry-After"],
  content: { type: "text/plain" },
};

/** Outside /v1 a refusal has no envelope. */
const invalidHost: SuccessResponse = {
  status: 400,
  description: "The `Host` header names no host.",
  content: { type: "text/plain" },
};

/** The three addresses of one script. */
function scriptOperations(name: "widget" | "client", words: ScriptDescriptions): Operation[] {
  const id = name === "widget" ? "Widget" : "Client";
  const cors: SuccessResponse["headers"] = ["Cache-Control", "Access-Control-Allow-Origin"];
  const example = { version: "v1", integrity: EXAMPLES.integrity, bytes: words.bytes };
  const pinned = `/${name}.v1.0123456789ab.js`;
  return [
    {
      ...common,
      id: `get${id}Script`,
      path: `/${name}.v1.js`,
      tag: "Widget",
      summary: words.script,
      description: words.use,
      parameters: ["ifNoneMatch"],
      responses: [
        { status: 200, description: "The script.", headers: ["ETag", ...cors], content: script },
        { status: 304, description: "`If-None-Match` names this script.", headers: ["ETag"] },
        invalidHost,
        unavailable,
      ],
    },
    {
      ...common,
      id: `get${id}Info`,
      path: `/${name}.v1.json`,
      tag: "Widget",
      summary: `What the current ${name} script is`,
      description: "Its `integrity`, and an address that stays.",
      responses: [
        {
          status: 200,
          description: "The script's facts.",
          headers: cors,
          content: {
            type: "application/json",
            schema: "WidgetInfo",
            example: { ...example, pinned },
          },
        },
        invalidHost,
        unavailable,
      ],
    },
    {
      ...common,
      id: `getPinned${id}Script`,
      path: `/${name}.v1.{hash}.js`,
      tag: "Widget",
      summary: `${words.script}, by its hash`,
      description: "Never changes, and is kept for ten releases after its own, so a page that " +
        "names it survives upgrades.",
      parameters: ["hash"],
      responses: [
        { status: 200, description: "The script.", headers: cors, content: script },
        {
          status: 404,
          description: "There is no script with this hash.",
          content: { type: "text/html" },
        },
        invalidHost,
        unavailable,
      ],
    },
  ];
}

interface ScriptDescriptions {
  script: string;
  use: string;
  bytes: number;
}

/** What needs no credential and counts towards no limit. */
export const SERVICE_OPERATIONS: Operation[] = [
  ...scriptOperations("widget", {
    script: "The widget script",
    use: "For the `src` of the script tag. Its hash changes with its content.",
    bytes: 46_576,
  }),
  ...scriptOperations("client", {
    script: "The client module",
    use: "An ES module that exports `chat()`, which the widget is built on, for pages and " +
      "programs with a face of their own.",
    bytes: 4_772,
  }),
  {
    ...common,
    id: "getClientTypes",
    path: "/client.v1.d.ts",
    tag: "Widget",
    summary: "TypeScript declarations of the client",
    responses: [
      {
        status: 200,
        description: "The declarations.",
        headers: ["Cache-Control", "Access-Control-Allow-Origin"],
        content: { type: "application/typescript" },
      },
      invalidHost,
      unavailable,
    ],
  },
  {
    ...common,
    id: "getHealth",
    path: "/healthz",
    tag: "Service",
    summary: "Whether the process is alive",
    responses: [
      {
        status: 200,
        description: "It is.",
        content: { type: "application/json", schema: "Health", example: { status: "ok" } },
      },
      invalidHost,
      unavailable,
    ],
  },
  {
    ...common,
    id: "getReadiness",
    path: "/readyz",
    tag: "Service",
    summary: "Whether requests can be served",
    responses: [
      {
        status: 200,
        description: "The store answers.",
        content: { type: "application/json", schema: "Readiness", example: { status: "ok" } },
      },
      invalidHost,
      {
        status: 503,
        description: "It does not, or the service is starting.",
        headers: ["Retry-After"],
        content: [
          { type: "application/json", schema: "Readiness", example: { status: "unavailable" } },
          { type: "text/plain" },
        ],
      },
    ],
  },
  {
    ...common,
    id: "getOpenApi",
    path: "/v1/openapi.json",
    tag: "Service",
    summary: "This document",
    description: "OpenAPI 3.1. Never rate-limited.",
    responses: [{
      status: 200,
      description: "The document.",
      headers: ["Cache-Control"],
      content: { type: "application/json" },
    }],
  },
  {
    ...common,
    id: "getDocs",
    path: "/docs",
    tag: "Service",
    summary: "This document, as a page",
    responses: [
      {
        status: 200,
        description: "The page.",
        headers: ["Cache-Control"],
        content: { type: "text/html" },
      },
      invalidHost,
      unavailable,
    ],
  },
];
