/** The name that a site addresses in `robots.txt`, and that requests carry. */
export const CRAWLER_NAME = "AgentChatService";
export const CRAWLER_USER_AGENT = `${CRAWLER_NAME}/1.0 (website source of a knowledge base)`;
/** RFC 9309 asks for at least 500 KiB. */
export const MAX_ROBOTS_BYTES = 512 * 1024;
const MAX_RULES = 2_000;
const MAX_PATTERN_LENGTH = 1_000;

interface Rule {
  allow: boolean;
  pattern: string;
}

interface Group {
  agents: string[];
  rules: Rule[];
  delaySeconds: number | undefined;
}

/** What a site's `robots.txt` allows this crawler. Source: RFC 9309. */
export class RobotsRules {
  readonly #rules: readonly Rule[];
  /** The pause between requests that the site asks for, if any. */
  readonly delayMs: number | undefined;

  constructor(text = "") {
    const groups = parseGroups(text);
    const name = CRAWLER_NAME.toLowerCase();
    const own = groups.filter(({ agents }) => agents.includes(name));
    const chosen = own.length > 0 ? own : groups.filter(({ agents }) => agents.includes("*"));
    this.#rules = chosen.flatMap(({ rules }) => rules);
    const delays = chosen.map(({ delaySeconds }) => delaySeconds).filter((one) =>
      one !== undefined
    );
    this.delayMs = delays.length === 0 ? undefined : Math.max(...delays) * 1_000;
  }

  /** The longest matching rule counts; of two that are equally long, the one that allows. */
  allows(url: URL): boolean {
    const path = normalizePath(url.pathname + url.search);
    if (path === "/robots.txt") return true;
    let best: Rule | undefined;
    for (const rule of this.#rules) {
      const isBetter = best === undefined || rule.pattern.length > best.pattern.length ||
        (rule.pattern.length === best.pattern.length && rule.allow);
      if (isBetter && matchesPattern(path, rule.pattern)) best = rule;
    }
    return best?.allow ?? true;
  }
}

function parseGroups(text: string): Group[] {
  const groups: Group[] = [];
  let group: Group | undefined;
  let isNaming = false;
  let rules = 0;
  for (const line of text.replace(/^\ufeff/, "").split(/\r\n|\r|\n/)) {
    const colon = line.indexOf(":");
    if (colon < 0) continue;
    const field = line.slice(0, colon).trim().toLowerCase();
    const value = line.slice(colon + 1).split("#", 1)[0]!.trim();
    if (field === "user-agent") {
      if (!isNaming) groups.push(group = { agents: [], rules: [], delaySeconds: undefined });
      isNaming = true;
      group!.agents.push(agentName(value));
      continue;
    }
    if (field === "crawl-delay" && group !== undefined) {
      isNaming = false;
      const seconds = Number(value);
      if (value !== "" && Number.isFinite(seconds) && seconds >= 0) group.delaySeconds = seconds;
    }
    if (field !== "allow" && field !== "disallow") continue;
    isNaming = false;
    // An empty rule forbids nothing.
    if (group === undefined || value === "" || value.length > MAX_PATTERN_LENGTH) continue;
    if (++rules > MAX_RULES) return groups;
    group.rules.push({ allow: field === "allow", pattern: normalizePath(value) });
  }
  return groups;
}

/** A product token; what follows it, such as a version, is ignored. */
function agentName(value: string): string {
  return value === "*" ? "*" : /^[a-z_-]*/i.exec(value)![0].toLowerCase();
}

/** Encodes what is not ASCII, and decodes what needs no encoding, so that both spellings match. */
function normalizePath(path: string): string {
  return path.toWellFormed()
    .replace(/[^\x21-\x7e]+/g, (text) => encodeURIComponent(text))
    .replace(/%[0-9a-f]{2}/gi, (code) => {
      const character = String.fromCharCode(parseInt(code.slice(1), 16));
      return /[A-Za-z0-9\-._~]/.test(character) ? character : code.toUpperCase();
    });
}

/** `*` stands for any text and a final `$` for the end. Takes pattern length times path length at most. */
function matchesPattern(path: string, pattern: string): boolean {
  const isAnchored = pattern.endsWith("$");
  const parts = (isAnchored ? pattern.slice(0, -1) : pattern).split("*");
  let at = 0;
  for (const [n, part] of parts.entries()) {
    const isLast = n === parts.length - 1;
    if (n === 0) {
      if (!path.startsWith(part)) return false;
      at = part.length;
      if (isLast && isAnchored) return at === path.length;
      continue;
    }
    if (isLast && isAnchored) return path.length - part.length >= at && path.endsWith(part);
    const found = path.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return true;
}
