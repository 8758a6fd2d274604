import { redact } from "../../platform/log.ts";

/** One field that a change touched; a value that was or is not there is absent. */
export interface FieldChange {
  field: string;
  before?: string;
  after?: string;
}

/** Of one value, in characters: a whole prompt is in the agent's versions. */
const MAX_VALUE_LENGTH = 1_000;
/** Of all of them: an agent's own body may already fill most of the step that stores both. */
const MAX_CHANGES_LENGTH = 12_000;
const OMITTED_VALUE = "[not kept: too long]";
const REDACTED_VALUE = "[left out]";

/** Maps whose values people put credentials into. */
const CREDENTIAL_MAPS = new Set(["headers", "query"]);

/** Any record, of which nothing is known. */
export type PlainObject = Readonly<Record<string, unknown>>;

/** Which fields differ between two states, as short texts; whatever may be a secret is left out. */
export function describeChange(before: PlainObject = {}, after: PlainObject = {}): FieldChange[] {
  const [old, now] = [flatten(before), flatten(after)];
  const fields = [...new Set([...old.keys(), ...now.keys()])];
  const changes = fields
    .filter((field) => old.get(field) !== now.get(field))
    .map((field) => ({
      field,
      ...redactedSide("before", old.get(field)),
      ...redactedSide("after", now.get(field)),
    }));
  return limitLength(changes);
}

/** Objects field by field, everything else as its JSON. */
function flatten(value: PlainObject, above = ""): Map<string, string> {
  const found = new Map<string, string>();
  for (const [name, inner] of Object.entries(value)) {
    if (inner === undefined) continue;
    const field = above + name;
    if (isPlainObject(inner)) {
      for (const [path, text] of flatten(inner, `${field}.`)) found.set(path, text);
    } else found.set(field, toText(inner));
  }
  return found;
}

function isPlainObject(value: unknown): value is PlainObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function toText(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value, withoutCredentials);
}

/** A value that is made of templates names a secret; any other may be one. */
function withoutCredentials(name: string, value: unknown): unknown {
  if (!CREDENTIAL_MAPS.has(name) || !isPlainObject(value)) return value;
  const entries = Object.entries(value).map(([key, text]) => [
    key,
    typeof text === "string" && text.includes("{{") ? text : REDACTED_VALUE,
  ]);
  return Object.fromEntries(entries);
}

function redactedSide(side: "before" | "after", text: string | undefined): Partial<FieldChange> {
  if (text === undefined) return {};
  const safe = redact(text);
  return {
    [side]: safe.length > MAX_VALUE_LENGTH
      ? `${safe.slice(0, MAX_VALUE_LENGTH).toWellFormed()}…`
      : safe,
  };
}

function limitLength(changes: FieldChange[]): FieldChange[] {
  let length = 0;
  return changes.map((change) => {
    length += (change.before?.length ?? 0) + (change.after?.length ?? 0);
    return length <= MAX_CHANGES_LENGTH ? change : { field: change.field, after: OMITTED_VALUE };
  });
}
