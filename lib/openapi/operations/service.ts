import { EXAMPLES } from "../examples.ts";
import type { HeaderName } from "../headers.ts";
import { json, ok, type Operation, operations, type SuccessResponse } from "../operation.ts";

const common = { auth: "none", rateLimited: false } as const;
const widget = { ...common, tag: "Widget" } as const;
const script = { type: "text/javascript" } as const;
const unavailable: SuccessResponse = {
  status: 503,
  description: "The service is starting.",
  headers: ["Retry-After"],
  content: { type: "text/plain" },
};

const cors = ["Cache-Control", "Access-Control-Allow-Origin"] satisfies HeaderName[];

/** Outside /v1 errors have no envelope. */
const invalidHost: SuccessResponse = {
  status: 400,
  description: "The `Host` header is invalid.",
  content: { type: "text/plain" },
};

/** The three URLs of a script. */
function scriptOperations(
  name: "widget" | "client",
  texts: { script: string; use: string; bytes: number; more?: Record<string, unknown> },
): Operation[] {
  const id = name === "widget" ? "Widget" : "Client";
  const pinned = `/${name}.v1.0123456789ab.js`;
  const { integrity } = EXAMPLES;
  const example = { version: "v1", integrity, bytes: texts.bytes, pinned, ...texts.more };
  return operations(widget, {
    [`GET /${name}.v1.js`]: {
      id: `get${id}Script`,
      summary: texts.script,
      description: texts.use,
      parameters: ["ifNoneMatch"],
      responses: [
        ok("The script.", script, ["ETag", ...cors]),
        { status: 304, description: "`If-None-Match` contains this script.", headers: ["ETag"] },
        invalidHost,
        unavailable,
      ],
    },
    [`GET /${name}.v1.json`]: {
      id: `get${id}Info`,
      summary: `Describe the current ${name} script`,
      description: "Its `integrity` and its immutable URL.",
      responses: [
        ok("The script's description.", json("WidgetInfo", example), cors),
        invalidHost,
        unavailable,
      ],
    },
    ...pinnedOperation(name, `getPinned${id}Script`, `${texts.script}, by its hash`),
  });
}

/** A file that never changes. */
function pinnedOperation(name: string, id: string, summary: string) {
  const operation: Omit<Operation, keyof typeof widget | "method" | "path"> = {
    id,
    summary,
    description: "Never changes, and is served for a hundred more releases, so that pages which " +
      "use it survive upgrades.",
    parameters: ["hash"],
    responses: [
      ok("The script.", script, cors),
      {
        status: 404,
        description: "There is no script with this hash.",
        content: { type: "text/html" },
      },
      invalidHost,
      unavailable,
    ],
  };
  return { [`GET /${name}.v1.{hash}.js`]: operation };
}

export const SERVICE_OPERATIONS: Operation[] = [
  ...scriptOperations("widget", {
    script: "The widget script",
    use: "For the `src` of the script tag. Its hash changes with every release.",
    bytes: 14_378,
    more: {
      panel: {
        integrity: EXAMPLES.integrity,
        bytes: 37_134,
        pinned: "/widget-panel.v1.0123456789ab.js",
      },
      extras: {
        integrity: EXAMPLES.integrity,
        bytes: 4_059,
        pinned: "/widget-extras.v1.0123456789ab.js",
      },
    },
  }),
  ...operations(widget, {
    ...pinnedOperation("widget-panel", "getPinnedWidgetPanel", "The widget's panel, by its hash"),
    ...pinnedOperation(
      "widget-extras",
      "getPinnedWidgetExtras",
      "The panel's extras, by their hash",
    ),
  }),
  ...scriptOperations("client", {
    script: "The client module",
    use: "An ES module that exports `chat()`, on which the widget is built, for pages and " +
      "programs with their own user interface.",
    bytes: 4_772,
  }),
  ...operations(widget, {
    "GET /widget-texts.v1.{hash}.json": {
      id: "getWidgetTexts",
      summary: "The texts of the widget's extras, by their hash",
      description: "Never changes. A line of texts for each language.",
      parameters: ["hash", "textsLanguage"],
      responses: [
        ok("The texts.", { type: "application/json" }, cors),
        {
          status: 404,
          description: "There are no texts with this hash, or not in this language.",
          content: { type: "text/html" },
        },
        invalidHost,
        unavailable,
      ],
    },
    "GET /widget/{agent}/appearance.json": {
      id: "getWidgetAppearance",
      summary: "How an agent's widget looks",
      description: "Public, for pages. `{}` if the agent has no `appearance` and offers nothing " +
        "but answers, or does not exist. Without an `appearance`, `offers` is the only field.",
      parameters: ["agent"],
      responses: [
        ok("The appearance.", json("ShownAppearance", EXAMPLES.shownAppearance), cors),
        { status: 404, description: "The id is missing.", content: { type: "text/html" } },
        invalidHost,
        {
          ...unavailable,
          description: "The store is not available, or the service is starting or stopping.",
        },
      ],
    },
    "GET /client.v1.d.ts": {
      id: "getClientTypes",
      summary: "TypeScript declarations of the client",
      responses: [
        ok("The declarations.", { type: "application/typescript" }, cors),
        invalidHost,
        unavailable,
      ],
    },
  }),
  ...operations({ ...common, tag: "Service" }, {
    "GET /healthz": {
      id: "getHealth",
      summary: "Check that the process is alive",
      responses: [
        ok("The process is alive.", json("Health", { status: "ok" })),
        invalidHost,
        unavailable,
      ],
    },
    "GET /readyz": {
      id: "getReadiness",
      summary: "Check that requests can be served",
      responses: [
        ok("The store is available.", json("Readiness", { status: "ok" })),
        invalidHost,
        {
          status: 503,
          description: "The store is not available, or the service is starting.",
          headers: ["Retry-After"],
          content: [json("Readiness", { status: "unavailable" }), { type: "text/plain" }],
        },
      ],
    },
    "GET /v1/openapi.json": {
      id: "getOpenApi",
      summary: "This document",
      description: "OpenAPI 3.1. Never rate-limited.",
      responses: [ok("The document.", { type: "application/json" }, ["Cache-Control"])],
    },
    "GET /docs": {
      id: "getDocs",
      summary: "This document, as a page",
      responses: [
        ok("The page.", { type: "text/html" }, ["Cache-Control"]),
        invalidHost,
        unavailable,
      ],
    },
  }),
  ...operations({ auth: "none", rateLimited: true, tag: "Service" }, {
    "GET /v1/seal-keys": {
      id: "getSealKeys",
      summary: "Read the keys of seals",
      description:
        "The installation's public keys, as JSON Web Keys. Write down the `kid` of the last one: it " +
        "is what you trust when you verify a seal or an export.",
      responses: [ok("The keys.", json("SealKeys", EXAMPLES.sealKeys))],
    },
  }),
];
