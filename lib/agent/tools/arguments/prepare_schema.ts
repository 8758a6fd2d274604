/** Deeper schemas overflow the stack of whatever walks them by recursion. */
const MAX_DEPTH = 32;
/** Places that say what a value must be. Compiling so many takes 30 ms at most (measured). */
const MAX_SCHEMAS = 500;
/** What those places say in all, without words that check nothing. */
const MAX_KEYWORDS = 1_000;
/** Each is a function of its own; 800 of them took 4 s to compile (measured), 200 take a tenth. */
const MAX_REFERENCES = 200;
/** Alternatives of all `oneOf`: the code for one list grows with the square of its length. */
const MAX_ALTERNATIVES = 400;

/** A keyword of our own that stands beside every reference and counts how often it is followed. */
export const REFERENCE_COUNTER_KEYWORD = "x-step";

/** What is wrong with a schema, and where: a dotted path inside it. */
export interface SchemaIssue {
  path: string;
  message: string;
}

/** A copy of a schema that is safe to compile, and what a check by it is multiplied by. */
export interface PreparedSchema {
  schema: Record<string, unknown>;
  nodes: number;
  uniqueItems: number;
}

/** Whose keys are names that the author chose, not keywords. */
const NAME_KEYWORDS = new Set([
  "properties",
  "patternProperties",
  "$defs",
  "definitions",
  "dependentSchemas",
]);
/** Whose content is data, not schemas. */
const DATA_KEYWORDS = new Set(["const", "default", "enum", "examples"]);
/** Words that check nothing, and so become no code. */
const ANNOTATION_KEYWORDS = new Set([
  ...DATA_KEYWORDS,
  "$comment",
  "deprecated",
  "description",
  "format",
  "readOnly",
  "title",
  "writeOnly",
]).difference(new Set(["const", "enum"]));
const FORBIDDEN_KEYWORDS = new Set(["$async", "__proto__", REFERENCE_COUNTER_KEYWORD]);

type NodeKind = "schema" | "names" | "data";

/**
 * Copies a schema that a stranger wrote. Refused: asynchronous schemas, whose verdict would be a
 * promise and so always true; `__proto__`; more than 32 levels; what takes seconds to compile;
 * patterns that `patternFault` finds fault with. References get a counter beside them, because a few that fan out make a check of
 * astronomic length; inside data, where a counter would change a value, they are refused.
 */
export function prepareSchema(
  schema: Readonly<Record<string, unknown>>,
  patternFault: (pattern: string) => string | undefined,
): PreparedSchema | SchemaIssue {
  const walk = new SchemaCopier(patternFault);
  const copied = walk.copy(schema, { path: [], place: "schema" }) as Record<string, unknown>;
  return walk.issue ?? { schema: copied, nodes: walk.nodes, uniqueItems: walk.uniqueItems };
}

class SchemaCopier {
  nodes = 0;
  uniqueItems = 0;
  #references = 0;
  #alternatives = 0;
  #schemas = 0;
  #keywords = 0;
  issue: SchemaIssue | undefined;
  #patternIssue: (pattern: string) => string | undefined;

  constructor(patternFault: (pattern: string) => string | undefined) {
    this.#patternIssue = patternFault;
  }

  copy(value: unknown, at: { path: readonly string[]; place: NodeKind }): unknown {
    this.nodes++;
    const { path, place } = at;
    if (path.length > MAX_DEPTH) {
      return this.#fail(path.slice(0, 3), `is nested deeper than ${MAX_DEPTH} levels`);
    }
    if (Array.isArray(value)) {
      return value.map((item, n) => this.copy(item, { path: [...path, `${n}`], place }));
    }
    if (typeof value !== "object" || value === null) return value;
    const made: Record<string, unknown> = {};
    for (const [key, inner] of Object.entries(value)) {
      const inside = [...path, key];
      if (!this.#accepts(key, inner, at)) continue;
      made[key] = this.copy(inner, { path: inside, place: childKind(key, place) });
    }
    return this.#withReferenceCounter(made, at);
  }

  /** A place in the copy, with the counter beside a reference. */
  #withReferenceCounter(
    made: Record<string, unknown>,
    { path, place }: { path: readonly string[]; place: NodeKind },
  ) {
    if (place === "schema" && ++this.#schemas > MAX_SCHEMAS) {
      this.#fail(path.slice(0, 3), `holds more than ${MAX_SCHEMAS} schemas`);
    }
    if (place === "schema" && Array.isArray(made.oneOf)) this.#alternatives += made.oneOf.length;
    if (this.#alternatives > MAX_ALTERNATIVES) {
      this.#fail(path, `has more than ${MAX_ALTERNATIVES} alternatives in oneOf`);
    }
    const refers = typeof made.$ref === "string" || typeof made.$dynamicRef === "string";
    if (refers && ++this.#references > MAX_REFERENCES) {
      this.#fail(path, `has more than ${MAX_REFERENCES} references`);
    }
    return refers ? { [REFERENCE_COUNTER_KEYWORD]: true, ...made } : made;
  }

  #accepts(key: string, inner: unknown, at: { path: readonly string[]; place: NodeKind }): boolean {
    const inside = [...at.path, key];
    const hidden = at.place === "data" && (key === "$ref" || key === "$dynamicRef");
    if (FORBIDDEN_KEYWORDS.has(key) || hidden) {
      this.#fail(inside, "is not allowed here");
      return false;
    }
    if (at.place === "schema" && !ANNOTATION_KEYWORDS.has(key) && ++this.#keywords > MAX_KEYWORDS) {
      this.#fail(at.path.slice(0, 3), `says more than ${MAX_KEYWORDS} things`);
    }
    if (at.place === "schema" && key === "uniqueItems" && inner === true) this.uniqueItems++;
    const isName = at.place === "names" && at.path.at(-1) === "patternProperties";
    const pattern = isName ? key : at.place === "schema" && key === "pattern" ? inner : undefined;
    const wrong = typeof pattern === "string" ? this.#patternIssue(pattern) : undefined;
    if (wrong !== undefined) this.#fail(inside, wrong);
    return true;
  }

  /** The first fault is the one that is told. */
  #fail(path: readonly string[], message: string): true {
    this.issue ??= { path: path.join("."), message };
    return true;
  }
}

function childKind(key: string, place: NodeKind): NodeKind {
  if (place === "data" || (place === "schema" && DATA_KEYWORDS.has(key))) return "data";
  return place === "schema" && NAME_KEYWORDS.has(key) ? "names" : "schema";
}
