import { EXAMPLE } from "../example_values.ts";
import type { Answer, Operation } from "../operation.ts";

const common = { method: "GET", auth: "none", rateLimited: false } as const;
const script = { type: "text/javascript" } as const;
const starting: Answer = {
  status: 503,
  description: "The service is starting.",
  headers: ["Retry-After"],
  content: { type: "text/plain" },
};

/** Outside /v1 a refusal has no envelope. */
const misaddressed: Answer = {
  status: 400,
  description: "The `Host` header names no host.",
  content: { type: "text/plain" },
};

/** The three addresses of one script. */
function scriptOperations(name: "widget" | "client", words: ScriptWords): Operation[] {
  const id = name === "widget" ? "Widget" : "Client";
  const cors: Answer["headers"] = ["Cache-Control", "Access-Control-Allow-Origin"];
  const example = { version: "v1", integrity: EXAMPLE.integrity, bytes: words.bytes };
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
      answers: [
        { status: 200, description: "The script.", headers: ["ETag", ...cors], content: script },
        { status: 304, description: "`If-None-Match` names this script.", headers: ["ETag"] },
        misaddressed,
        starting,
      ],
    },
    {
      ...common,
      id: `get${id}Info`,
      path: `/${name}.v1.json`,
      tag: "Widget",
      summary: `What the current ${name} script is`,
      description: "Its `integrity`, and an address that stays.",
      answers: [
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
        misaddressed,
        starting,
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
      answers: [
        { status: 200, description: "The script.", headers: cors, content: script },
        {
          status: 404,
          description: "There is no script with this hash.",
          content: { type: "text/html" },
        },
        misaddressed,
        starting,
      ],
    },
  ];
}

interface ScriptWords {
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
    answers: [
      {
        status: 200,
        description: "The declarations.",
        headers: ["Cache-Control", "Access-Control-Allow-Origin"],
        content: { type: "application/typescript" },
      },
      misaddressed,
      starting,
    ],
  },
  {
    ...common,
    id: "getHealth",
    path: "/healthz",
    tag: "Service",
    summary: "Whether the process is alive",
    answers: [
      {
        status: 200,
        description: "It is.",
        content: { type: "application/json", schema: "Health", example: { status: "ok" } },
      },
      misaddressed,
      starting,
    ],
  },
  {
    ...common,
    id: "getReadiness",
    path: "/readyz",
    tag: "Service",
    summary: "Whether requests can be served",
    answers: [
      {
        status: 200,
        description: "The store answers.",
        content: { type: "application/json", schema: "Readiness", example: { status: "ok" } },
      },
      misaddressed,
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
    answers: [{
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
    answers: [
      {
        status: 200,
        description: "The page.",
        headers: ["Cache-Control"],
        content: { type: "text/html" },
      },
      misaddressed,
      starting,
    ],
  },
];
