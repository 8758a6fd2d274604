/** Deeper schemas overflow the stack of recursive code. */
const MAX_DEPTH = 32;
/** Compiling so many schemas takes at most 30 ms (measured). */
const MAX_SCHEMAS = 500;
/** Keywords in all schemas together, without annotations. */
const MAX_KEYWORDS = 1_000;
/** Each becomes a function; 800 took 4 s to compile (measured), 200 take a tenth of that. */
const MAX_REFERENCES = 200;
/** Alternatives of all `oneOf`: their code grows with the square of a list's length. */
const MAX_ALTERNATIVES = 400;

/** A keyword next to each reference that counts how often it is followed. */
export const REFERENCE_COUNTER_KEYWORD = "x-step";

/** What is wrong with a schema, and the dotted path inside it. */
export type SchemaIssue = { path: string; message: string };

/** A copy of a schema that is safe to compile, with the factors that determine its cost. */
export interface PreparedSchema {
  schema: Record<string, unknown>;
  nodes: number;
  uniqueItems: number;
}

/** Keywords whose values map names to schemas. */
const NAME_KEYWORDS = new Set([
  "properties",
  "patternProperties",
  "$defs",
  "definitions",
  "dependentSchemas",
]);
/** Keywords whose values are data. */
const DATA_KEYWORDS = new Set(["const", "default", "enum", "examples"]);
const ANNOTATION_KEYWORDS = new Set([
  "$comment",
  "default",
  "deprecated",
  "description",
  "examples",
  "format",
  "readOnly",
  "title",
  "writeOnly",
]);
const FORBIDDEN_KEYWORDS = new Set(["$async", "__proto__", REFERENCE_COUNTER_KEYWORD]);

type NodeKind = "schema" | "names" | "data";

type Place = { path: readonly string[]; kind: NodeKind };

type PatternIssue = (pattern: string) => string | undefined;

/**
 * Copies an untrusted schema. Rejects asynchronous schemas, whose result is a promise and therefore
 * truthy; `__proto__`; more than 32 levels; schemas that take seconds to compile; and patterns for which
 * `patternIssue` returns an issue. References get a counter, because a few that fan out can make a
 * validation extremely long; they are rejected inside data, where a counter would change a value.
 */
export function prepareSchema(
  schema: Readonly<Record<string, unknown>>,
  patternIssue: PatternIssue,
): PreparedSchema | SchemaIssue {
  const copier = new SchemaCopier(patternIssue);
  const copy = copier.copy(schema, { path: [], kind: "schema" }) as Record<string, unknown>;
  return copier.issue ?? { schema: copy, nodes: copier.nodes, uniqueItems: copier.uniqueItems };
}

class SchemaCopier {
  nodes = 0;
  uniqueItems = 0;
  issue: SchemaIssue | undefined;
  #references = 0;
  #alternatives = 0;
  #schemas = 0;
  #keywords = 0;
  readonly #patternIssue: PatternIssue;

  constructor(patternIssue: PatternIssue) {
    this.#patternIssue = patternIssue;
  }

  copy(value: unknown, place: Place): unknown {
    this.nodes++;
    const { path, kind } = place;
    if (path.length > MAX_DEPTH) {
      return this.#reject(path.slice(0, 3), `is nested deeper than ${MAX_DEPTH} levels`);
    }
    if (Array.isArray(value)) {
      return value.map((item, n) => this.copy(item, { path: [...path, `${n}`], kind }));
    }
    if (typeof value !== "object" || value === null) return value;
    const copy: Record<string, unknown> = {};
    for (const [key, inner] of Object.entries(value)) {
      if (!this.#accepts(key, inner, place)) continue;
      copy[key] = this.copy(inner, { path: [...path, key], kind: childKind(key, kind) });
    }
    return this.#withReferenceCounter(copy, place);
  }

  #withReferenceCounter(copy: Record<string, unknown>, { path, kind }: Place) {
    if (kind === "schema" && ++this.#schemas > MAX_SCHEMAS) {
      this.#reject(path.slice(0, 3), `holds more than ${MAX_SCHEMAS} schemas`);
    }
    if (kind === "schema" && Array.isArray(copy.oneOf)) this.#alternatives += copy.oneOf.length;
    if (this.#alternatives > MAX_ALTERNATIVES) {
      this.#reject(path, `has more than ${MAX_ALTERNATIVES} alternatives in oneOf`);
    }
    const isReference = typeof copy.$ref === "string" || typeof copy.$dynamicRef === "string";
    if (isReference && ++this.#references > MAX_REFERENCES) {
      this.#reject(path, `has more than ${MAX_REFERENCES} references`);
    }
    return isReference ? { [REFERENCE_COUNTER_KEYWORD]: true, ...copy } : copy;
  }

  #accepts(key: string, inner: unknown, { path, kind }: Place): boolean {
    const isReferenceInData = kind === "data" && (key === "$ref" || key === "$dynamicRef");
    if (FORBIDDEN_KEYWORDS.has(key) || isReferenceInData) {
      this.#reject([...path, key], "is not allowed here");
      return false;
    }
    if (kind === "schema" && !ANNOTATION_KEYWORDS.has(key) && ++this.#keywords > MAX_KEYWORDS) {
      this.#reject(path.slice(0, 3), `has more than ${MAX_KEYWORDS} keywords`);
    }
    if (kind === "schema" && key === "uniqueItems" && inner === true) this.uniqueItems++;
    const isName = kind === "names" && path.at(-1) === "patternProperties";
    const pattern = isName ? key : kind === "schema" && key === "pattern" ? inner : undefined;
    const issue = typeof pattern === "string" ? this.#patternIssue(pattern) : undefined;
    if (issue !== undefined) this.#reject([...path, key], issue);
    return true;
  }

  #reject(path: readonly string[], message: string): true {
    this.issue ??= { path: path.join("."), message };
    return true;
  }
}

function childKind(key: string, kind: NodeKind): NodeKind {
  if (kind === "data" || (kind === "schema" && DATA_KEYWORDS.has(key))) return "data";
  return kind === "schema" && NAME_KEYWORDS.has(key) ? "names" : "schema";
}
