import type { Import } from "./imports.ts";

/**
 * The rooms of `lib/`, lowest first: a file may import from its own room and from those before it.
 * `docs/architecture.md` describes them.
 */
export const ROOMS = [
  "platform",
  "schemas",
  "egress",
  "store",
  "providers",
  "billing",
  "knowledge",
  "attachments",
  "agent",
  "chat",
  "services",
  "doctor",
  "http",
  "dashboard",
  "openapi",
  "server",
];

/** The files of one room and what they may, or must not, import. */
interface Rule {
  why: string;
  files: RegExp;
  /** When given, every other import is wrong. */
  only?: RegExp;
  /** Always wrong. */
  never?: RegExp;
  /** Importing types is allowed anyway. */
  allowTypes?: boolean;
}

/** Tests may reach across rooms to set things up. Stand-ins are checked separately. */
const EXEMPT = /_test\.tsx?$|^tests\/|^bench\/|^jsr\/|^tools\//;

const PREACT = String.raw`npm:\/?preact@`;
const SIGNALS = String.raw`npm:\/?@preact\/signals@`;
const FRESH_RUNTIME = String.raw`jsr\/fresh\/src\/runtime|jsr:@fresh\/core@[^/]+\/runtime`;

const RULES: Rule[] = [
  {
    why: "lib/ does not depend on what is built on it",
    files: /^lib\//,
    never: /^(routes|islands|components|widget|cli)\/|^(main|dev)\.tsx?$/,
  },
  {
    why: "State and define are for HTTP code only",
    files: /^lib\/(?!http\/|dashboard\/)/,
    never: /^utils\.ts$/,
  },
  {
    why: "lib/schemas runs in browsers",
    files: /^lib\/schemas\//,
    only: /^lib\/schemas\/|^npm:\/?zod@/,
  },
  {
    why: "lib/agent is pure: it receives what tools need as functions, and never touches the store",
    files: /^lib\/agent\//,
    never: /^lib\/(store|billing|knowledge)\//,
  },
  {
    why: "lib/egress serves every caller and depends on none",
    files: /^lib\/egress\//,
    only: /^lib\/(egress|platform|schemas)\/|^(npm|node|jsr):|^jsr\//,
  },
  {
    why: "lib/providers talks to model providers only",
    files: /^lib\/providers\//,
    never: /^lib\/(store|egress)\//,
  },
  {
    why: "a route calls lib/http, lib/dashboard and services, which call the rooms below",
    files: /^routes\//,
    never: /^lib\/(store|agent|providers|egress|knowledge)\//,
    allowTypes: true,
  },
  {
    why:
      "visitors pay for every byte of the widget: it imports lib/schemas, preact and itself only",
    files: /^widget\//,
    only: new RegExp(`^widget/|^lib/schemas/|^${PREACT}`),
  },
  {
    why:
      "npm packages are bundled from the widget's client: no server code, no dependency but React",
    files: /^packages\//,
    only: /^(packages|widget|lib\/schemas)\/|^npm:\/?(@types\/)?react@/,
  },
  {
    why: "islands run in browsers",
    files: /^islands\//,
    only: new RegExp(
      `^(islands|components)/|^lib/(schemas|dashboard)/|^${PREACT}|^${SIGNALS}|^(${FRESH_RUNTIME})|` +
        "^npm:/?@simplewebauthn/browser@",
    ),
  },
  {
    why: "components are markup without state: data arrives as props",
    files: /^components\//,
    never: /^lib\/(?!schemas\/|dashboard\/|openapi\/)|^routes\/|^node:/,
    allowTypes: true,
  },
];

/** Every import that breaks a rule, as a sentence with file and line. */
export function wrongEdges(imports: Import[]): string[] {
  const app = imports.filter(({ from }) => !EXEMPT.test(from));
  return [
    ...app.flatMap(brokenOrder),
    ...app.flatMap(brokenRules),
    ...app.flatMap(brokenReach(app)),
    ...imports.flatMap(brokenFresh),
    ...imports.flatMap(brokenStandIn),
  ];
}

function brokenOrder(edge: Import): string[] {
  const [from, to] = [roomOf(edge.from), roomOf(edge.to)];
  if (from === undefined) return [];
  if (!ROOMS.includes(from)) return [`${edge.from} is in no room of lib/: see ROOMS`];
  if (to === undefined || ROOMS.indexOf(to) <= ROOMS.indexOf(from)) return [];
  return [describe(edge, `lib/${from} comes before lib/${to}, so imports flow the other way`)];
}

/** The folder directly under `lib/`, or the file's own name for a file that is in none. */
function roomOf(path: string): string | undefined {
  return /^lib\/([^/]+)/.exec(path)?.[1];
}

function brokenRules(edge: Import): string[] {
  return RULES
    .filter(({ files, allowTypes }) => files.test(edge.from) && !(allowTypes && edge.typeOnly))
    .filter(({ only, never }) => (only && !only.test(edge.to)) || never?.test(edge.to))
    .map(({ why }) => describe(edge, why));
}

/** What an import pulls in at run time, through any number of files. */
const REACH: { why: string; files: RegExp; never: RegExp }[] = [
  {
    why: "zod is 77 KB brotli in a browser bundle: import only types from a schema file",
    files: /^(widget|islands|packages)\//,
    never: /^npm:\/?zod@/,
  },
  {
    why: "an island's imports run in browsers, so they must not depend on server code",
    files: /^islands\//,
    never: /^lib\/(?!schemas\/|dashboard\/)|^routes\/|^node:/,
  },
  {
    why: "lib/agent and lib/store never meet",
    files: /^lib\/agent\//,
    never: /^lib\/store\//,
  },
];

function brokenReach(imports: Import[]): (edge: Import) => string[] {
  const targets = Map.groupBy(imports.filter(({ typeOnly }) => !typeOnly), ({ from }) => from);
  return (edge) => {
    if (edge.typeOnly) return [];
    const rules = REACH.filter(({ files }) => files.test(edge.from) && !files.test(edge.to));
    if (rules.length === 0) return [];
    const reached = reach(edge.to, targets);
    return rules
      .filter(({ never }) => reached.some((path) => never.test(path)))
      .map(({ why }) => describe(edge, why));
  };
}

function reach(start: string, targets: Map<string, Import[]>): string[] {
  const seen = new Set([start]);
  for (const path of seen) {
    for (const { to } of targets.get(path) ?? []) seen.add(to);
  }
  return [...seen];
}

/**
 * Circles of files, each as its files in the order of their imports. Imports of types within one folder
 * do not count: two files that describe each other are one idea, and nothing is loaded in a circle.
 */
export function importCircles(imports: Import[]): string[] {
  const counted = imports.filter(({ from, to, typeOnly }) =>
    from !== to && !(typeOnly && folderOf(from) === folderOf(to)) && !EXEMPT_OF_CIRCLES.test(from)
  );
  const targets = Map.groupBy(counted, ({ from }) => from);
  const circles = new Map<string, string>();
  for (const start of targets.keys()) {
    const path = shortestCircle(start, targets);
    if (path) circles.set([...path].sort().join(), [...path, start].join(" -> "));
  }
  return [...circles.values()];
}

/** Tests are loaded by no other file. */
const EXEMPT_OF_CIRCLES = /_test\.tsx?$/;

function folderOf(path: string): string {
  return path.slice(0, path.lastIndexOf("/") + 1);
}

function shortestCircle(start: string, targets: Map<string, Import[]>): string[] | undefined {
  const cameFrom = new Map<string, string>();
  const queue = [start];
  for (const current of queue) {
    for (const { to } of targets.get(current) ?? []) {
      if (to === start) return pathTo(current, { start, cameFrom });
      if (cameFrom.has(to)) continue;
      cameFrom.set(to, current);
      queue.push(to);
    }
  }
  return undefined;
}

function pathTo(
  end: string,
  { start, cameFrom }: { start: string; cameFrom: Map<string, string> },
): string[] {
  const path = [end];
  while (path[0] !== start) path.unshift(cameFrom.get(path[0]!)!);
  return path;
}

function brokenFresh(edge: Import): string[] {
  if (edge.from.startsWith("jsr/")) return [];
  if (edge.specifier === "fresh/internal") {
    return [describe(edge, "fresh/internal is for generated code only")];
  }
  if (edge.specifier === "fresh/dev" && !/^dev\.ts$|^tests\/|^tools\//.test(edge.from)) {
    return [describe(edge, "fresh/dev is the builder: dev.ts only")];
  }
  return [];
}

/** The stand-ins must be removable: they import nothing of the app, and the app only their names. */
function brokenStandIn(edge: Import): string[] {
  const isStandIn = edge.from.startsWith("jsr/");
  if (isStandIn && !/^jsr\/|^(npm|node|jsr):/.test(edge.to)) {
    return [describe(edge, "a stand-in imports nothing of the app")];
  }
  if (!isStandIn && edge.to.startsWith("jsr/") && /^(\.|@\/)/.test(edge.specifier)) {
    return [describe(edge, "a stand-in is imported by its package name, not by path")];
  }
  return [];
}

function describe({ from, line, specifier, typeOnly }: Import, why: string): string {
  return `${from}:${line} imports ${typeOnly ? "types of " : ""}${specifier}: ${why}`;
}
