import type { Import } from "./imports.ts";

/** The files of one part of the house and what they may, or must not, import. */
interface Rule {
  why: string;
  files: RegExp;
  /** When given, everything else is wrong. */
  only?: RegExp;
  /** Wrong in any case. */
  never?: RegExp;
  /** Types may be imported all the same. */
  typesPass?: boolean;
}

/** Tests may reach across: they set up what they look at. Stand-ins are checked apart. */
const EXEMPT = /_test\.tsx?$|^tests\/|^bench\/|^jsr\/|^tools\//;

const PREACT = String.raw`npm:\/?preact@`;
const SIGNALS = String.raw`npm:\/?@preact\/signals@`;
const FRESH_RUNTIME = String.raw`jsr\/fresh\/src\/runtime|jsr:@fresh\/core@[^/]+\/runtime`;

const RULES: Rule[] = [
  {
    why: "lib/ knows nothing of what is built on it",
    files: /^lib\//,
    never: /^(routes|islands|components|widget|cli)\/|^(main|dev)\.tsx?$/,
  },
  {
    why: "parts are handed what they need: only a process composes them",
    files: /^lib\/(?!composition\/|process\/)/,
    never: /^lib\/composition\//,
  },
  {
    why: "State and define are for HTTP code only",
    files: /^lib\/(?!http\/)/,
    never: /^utils\.ts$/,
  },
  {
    why: "lib/wire is a leaf that runs in browsers",
    files: /^lib\/wire\//,
    only: /^lib\/wire\/|^npm:\/?zod@/,
  },
  {
    why: "lib/agent is pure: what a tool needs is handed in, so it never meets storage or HTTP",
    files: /^lib\/agent\//,
    never: /^lib\/(storage|http|chat|limits|accounts|admin)\//,
  },
  {
    why: "lib/egress guards whatever asks, and knows none of those who do",
    files: /^lib\/egress\//,
    never: /^lib\/(agent|storage|http|chat|models|limits|accounts|admin)\//,
  },
  {
    why: "lib/storage knows Deno.Kv and the records, not those who use them",
    files: /^lib\/storage\//,
    never: /^lib\/(agent|http|chat|models|admin)\//,
  },
  {
    why: "lib/models speaks to vendors only",
    files: /^lib\/models\//,
    never: /^lib\/(agent|storage|http|chat|limits|admin)\//,
  },
  {
    why: "a run knows no HTTP, so the dashboard and the API share it",
    files: /^lib\/chat\//,
    never: /^lib\/http\//,
  },
  {
    why: "what serves the API does not stand on what serves the dashboard's pages",
    files: /^lib\/http\/(?!dashboard\/)/,
    never: /^lib\/http\/dashboard\//,
  },
  {
    why: "the widget is lib/wire, preact and itself: every byte of it is paid by visitors",
    files: /^widget\//,
    only: new RegExp(`^widget/|^lib/wire/|^${PREACT}`),
  },
  {
    why: "islands run in browsers",
    files: /^islands\//,
    only: new RegExp(
      `^(islands|components)/|^lib/wire/|^${PREACT}|^${SIGNALS}|^(${FRESH_RUNTIME})`,
    ),
  },
  {
    why: "components are markup without state: data comes in as props",
    files: /^components\//,
    never: /^lib\/(storage|http|chat|agent|models|limits|accounts|admin)\/|^routes\/|^node:/,
    typesPass: true,
  },
];

/** Every import that breaks a rule of the house, as a sentence with file and line. */
export function wrongEdges(imports: Import[]): string[] {
  const app = imports.filter(({ from }) => !EXEMPT.test(from));
  return [
    ...app.flatMap(brokenRules),
    ...app.flatMap(brokenReach(app)),
    ...imports.flatMap(brokenFresh),
    ...imports.flatMap(brokenStandIn),
  ];
}

function brokenRules(edge: Import): string[] {
  return RULES
    .filter(({ files, typesPass }) => files.test(edge.from) && !(typesPass && edge.typeOnly))
    .filter(({ only, never }) => (only && !only.test(edge.to)) || never?.test(edge.to))
    .map(({ why }) => describe(edge, why));
}

/** What an edge pulls in at run time, however many files lie between. */
const REACH: { why: string; files: RegExp; never: RegExp }[] = [
  {
    why:
      "zod must not reach a browser (77 KB brotli in a bundle): import types of a schema file only",
    files: /^(widget|islands)\//,
    never: /^npm:\/?zod@/,
  },
  {
    why: "what an island imports runs in browsers, so nothing of the server may hang on it",
    files: /^islands\//,
    never: /^lib\/(?!wire\/)|^routes\/|^node:/,
  },
  { why: "lib/agent and lib/storage never meet", files: /^lib\/agent\//, never: /^lib\/storage\// },
  { why: "lib/agent and lib/storage never meet", files: /^lib\/storage\//, never: /^lib\/agent\// },
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

/** The stand-ins must be removable: they know nothing of the app, and the app only their names. */
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
