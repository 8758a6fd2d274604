import type { Answer, Operation } from "../operation.ts";

const common = { method: "GET", auth: "none", rateLimited: false } as const;
const script = { type: "text/javascript" } as const;
const starting: Answer = {
  status: 503,
  description: "The service is starting.",
  headers: ["Retry-After"],
  content: { type: "text/plain" },
};

const INTEGRITY = "sha384-" + "EXAMPLE0".repeat(8);

/** What needs no credential and counts towards no limit. */
export const SERVICE_OPERATIONS: Operation[] = [
  {
    ...common,
    id: "getWidgetScript",
    path: "/widget.v1.js",
    tag: "Widget",
    summary: "The widget script",
    description: "For the `src` of the script tag. Its hash changes with its content.",
    parameters: ["ifNoneMatch"],
    answers: [
      {
        status: 200,
        description: "The script.",
        headers: ["ETag", "Cache-Control", "Access-Control-Allow-Origin"],
        content: script,
      },
      { status: 304, description: "`If-None-Match` names this script.", headers: ["ETag"] },
      starting,
    ],
  },
  {
    ...common,
    id: "getWidgetInfo",
    path: "/widget.v1.json",
    tag: "Widget",
    summary: "What the current widget script is",
    description: "For those who write the script tag: its `integrity`, and an address that stays.",
    answers: [{
      status: 200,
      description: "The script's facts.",
      headers: ["Cache-Control", "Access-Control-Allow-Origin"],
      content: {
        type: "application/json",
        schema: "WidgetInfo",
        example: {
          version: "v1",
          integrity: INTEGRITY,
          bytes: 38_112,
          pinned: "/widget.v1.0123456789ab.js",
        },
      },
    }, starting],
  },
  {
    ...common,
    id: "getPinnedWidgetScript",
    path: "/widget.v1.{hash}.js",
    tag: "Widget",
    summary: "The widget script, by its hash",
    description: "Never changes, so a tag that names it survives an upgrade.",
    parameters: ["hash"],
    answers: [
      {
        status: 200,
        description: "The script.",
        headers: ["Cache-Control", "Access-Control-Allow-Origin"],
        content: script,
      },
      {
        status: 404,
        description: "There is no script with this hash.",
        content: { type: "text/html" },
      },
      starting,
    ],
  },
  {
    ...common,
    id: "getHealth",
    path: "/healthz",
    tag: "Service",
    summary: "Whether the process is alive",
    answers: [{
      status: 200,
      description: "It is.",
      content: { type: "application/json", schema: "Health", example: { status: "ok" } },
    }, starting],
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
    answers: [{
      status: 200,
      description: "The page.",
      headers: ["Cache-Control"],
      content: { type: "text/html" },
    }, starting],
  },
];
