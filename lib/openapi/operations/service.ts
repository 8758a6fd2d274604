import { EXAMPLES } from "../examples.ts";
import { json, ok, type Operation, type SuccessResponse } from "../operation.ts";

const common = { method: "GET", auth: "none", rateLimited: false } as const;
const script = { type: "text/javascript" } as const;
const unavailable: SuccessResponse = {
  status: 503,
  description: "The service is starting.",
  headers: ["Retry-After"],
  content: { type: "text/plain" },
};

/** Outside /v1 errors have no envelope. */
const invalidHost: SuccessResponse = {
  status: 400,
  description: "The `Host` header is invalid.",
  content: { type: "text/plain" },
};

/** The three URLs of a script. */
function scriptOperations(name: "widget" | "client", texts: ScriptDescriptions): Operation[] {
  const id = name === "widget" ? "Widget" : "Client";
  const cors: SuccessResponse["headers"] = ["Cache-Control", "Access-Control-Allow-Origin"];
  const example = { version: "v1", integrity: EXAMPLES.integrity, bytes: texts.bytes };
  const pinned = `/${name}.v1.0123456789ab.js`;
  return [
    {
      ...common,
      id: `get${id}Script`,
      path: `/${name}.v1.js`,
      tag: "Widget",
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
    {
      ...common,
      id: `get${id}Info`,
      path: `/${name}.v1.json`,
      tag: "Widget",
      summary: `Describe the current ${name} script`,
      description: "Its `integrity` and its immutable URL.",
      responses: [
        ok("The script's description.", json("WidgetInfo", { ...example, pinned }), cors),
        invalidHost,
        unavailable,
      ],
    },
    {
      ...common,
      id: `getPinned${id}Script`,
      path: `/${name}.v1.{hash}.js`,
      tag: "Widget",
      summary: `${texts.script}, by its hash`,
      description:
        "Never changes, and is served for ten more releases, so that pages which use it " +
        "survive upgrades.",
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
    },
  ];
}

interface ScriptDescriptions {
  script: string;
  use: string;
  bytes: number;
}

/** Operations without credential and rate limit. */
export const SERVICE_OPERATIONS: Operation[] = [
  ...scriptOperations("widget", {
    script: "The widget script",
    use: "For the `src` of the script tag. Its hash changes with every release.",
    bytes: 46_576,
  }),
  ...scriptOperations("client", {
    script: "The client module",
    use: "An ES module that exports `chat()`, on which the widget is built, for pages and " +
      "programs with their own user interface.",
    bytes: 4_772,
  }),
  {
    ...common,
    id: "getClientTypes",
    path: "/client.v1.d.ts",
    tag: "Widget",
    summary: "TypeScript declarations of the client",
    responses: [
      ok("The declarations.", { type: "application/typescript" }, [
        "Cache-Control",
        "Access-Control-Allow-Origin",
      ]),
      invalidHost,
      unavailable,
    ],
  },
  {
    ...common,
    id: "getHealth",
    path: "/healthz",
    tag: "Service",
    summary: "Check that the process is alive",
    responses: [
      ok("The process is alive.", json("Health", { status: "ok" })),
      invalidHost,
      unavailable,
    ],
  },
  {
    ...common,
    id: "getReadiness",
    path: "/readyz",
    tag: "Service",
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
  {
    ...common,
    id: "getOpenApi",
    path: "/v1/openapi.json",
    tag: "Service",
    summary: "This document",
    description: "OpenAPI 3.1. Never rate-limited.",
    responses: [ok("The document.", { type: "application/json" }, ["Cache-Control"])],
  },
  {
    ...common,
    id: "getDocs",
    path: "/docs",
    tag: "Service",
    summary: "This document, as a page",
    responses: [
      ok("The page.", { type: "text/html" }, ["Cache-Control"]),
      invalidHost,
      unavailable,
    ],
  },
];
