/**
 * Words that this project used in a sense of its own. A comment, a message or a test name that needs
 * one of them has a plainer sentence; CONTRIBUTING.md states the rule.
 */
const BANNED = [
  "told",
  "whoever",
  "whomever",
  "anew",
  "in vain",
  "in the same breath",
  "had twice",
  "lets? in",
  "letting in",
  "under way",
  "goes by",
  "hush",
  "gathers? up",
  "of its own accord",
  "is no more",
  "no more than one",
  "faults?",
  "refus(?:e|es|ed|al|als|ing)",
  "vendors?",
];

/** Identifiers of earlier releases whose names needed a glossary. */
const BANNED_NAMES = [
  "ColdError",
  "LastingServer",
  "LeftOut",
  "Patience",
  "Phrasing",
  "SaidWords",
  "SideCosts",
  "StoreFault",
  "TemperedRequest",
  "ToolWorld",
  "TooCostly",
  "UnsettledRuns",
  "VectorMaker",
  "Breather",
  "asTold",
  "callOff",
  "carryOut",
  "forAnother",
  "isOutOfPatience",
  "toldName",
];

/** Text in which a banned word is a standard term or a fixed name. */
const ALLOWED = [
  /connections? (?:is |was |are |were )?refused/gi,
  /refused? (?:a |the )?connections?/gi,
  /ECONNREFUSED/g,
  /\bsegmentation faults?\b/gi,
  /\bfault[- ]toleran(?:t|ce)\b/gi,
  /\/operator\/vendors\b/g,
  /"vendor credentials"/g,
  /"refused":/g,
];

const WORDS = new RegExp(String.raw`(?<![\w$-])(?:${BANNED.join("|")})(?![\w$])`, "gi");
const NAMES = new RegExp(String.raw`\b(?:${BANNED_NAMES.join("|")})\b`, "g");

/** Code in a page. */
const FENCED = /^```[^]*?^```/gm;

/** Nothing, on as many lines. */
function blankOut(text: string): string {
  return text.replace(/[^\n]+/g, "");
}

/** Every banned word in the prose of a file with its line, as `path:line: "word"`. */
export function dialectIn(path: string, text: string): string[] {
  const isPage = path.endsWith(".md");
  const lines = isPage ? text.replace(FENCED, blankOut).split("\n") : text.split("\n");
  return lines.flatMap((line, index) => {
    const prose = isPage ? line.replace(/`[^`]*`|\]\([^)]*\)/g, "") : proseOf(line);
    const checked = ALLOWED.reduce((rest, allowed) => rest.replace(allowed, ""), prose);
    const found = [...checked.matchAll(WORDS), ...line.matchAll(NAMES)];
    return found.map(([word]) => `${path}:${index + 1}: "${word}"`);
  });
}

/** A string that is one word is a key or a code; expressions of a template are code. */
function withoutCode(quoted: string): string {
  return /^.[\w/:-]*.$/.test(quoted) ? "" : quoted.replace(/\$\{[^}]*\}/g, "");
}

/** The comments, strings and markup texts of a line of code; names in the code itself are left out. */
function proseOf(line: string): string {
  if (/^\s*(\/?\*|\/\/)/.test(line)) return line;
  const quoted = line.match(/"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|`[^`]*`?/g) ?? [];
  const comment = /(?:^|\s)\/\/ .*$/.exec(line)?.[0] ?? "";
  // A line of markup text, or of a template string, has no code around its words.
  const isText = /^\s*[A-Za-z][\w,.:'’-]*(?: [\w,.:'’-]+){2,}$/.test(line);
  return isText ? line : [...quoted.map(withoutCode), comment].join(" ");
}
