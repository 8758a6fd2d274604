import { redact } from "../../platform/log.ts";

/** One changed field; `before` is absent if the field was added, `after` if it was removed. */
export type FieldChange = { field: string; before?: string; after?: string };

/** Characters of one value: a whole prompt is stored with the agent's versions. */
const MAX_VALUE_LENGTH = 1_000;
/** Characters of all values: an agent's body may already fill most of the step that stores both. */
const MAX_CHANGES_LENGTH = 12_000;
const OMITTED_VALUE = "[not kept: too long]";
const REDACTED_VALUE = "[left out]";

const SCHEME = /^(Bearer|Basic|Digest|Token|ApiKey) $/i;

/** Maps whose values often hold credentials. */
const CREDENTIAL_MAPS = new Set(["headers", "query"]);

export type PlainObject = Readonly<Record<string, unknown>>;

/** The fields that differ between two states, as short texts without what may be a secret. */
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

/** Nested objects field by field, everything else as JSON. */
function flatten(value: PlainObject, parent = ""): Map<string, string> {
  const fields = new Map<string, string>();
  for (const [name, inner] of Object.entries(value)) {
    if (inner === undefined) continue;
    const field = parent + name;
    if (isPlainObject(inner)) {
      for (const [path, text] of flatten(inner, `${field}.`)) fields.set(path, text);
    } else fields.set(field, toText(inner));
  }
  return fields;
}

function isPlainObject(value: unknown): value is PlainObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function toText(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value, withoutCredentials);
}

/** A template names a secret; what is around it may be one. */
function withoutCredentials(name: string, value: unknown): unknown {
  if (!CREDENTIAL_MAPS.has(name) || !isPlainObject(value)) return value;
  const entries = Object.entries(value).map(([key, text]) => [
    key,
    typeof text === "string" ? templatesOf(text) : REDACTED_VALUE,
  ]);
  return Object.fromEntries(entries);
}

/** The text with only its templates, and the name of a scheme such as `Bearer`. */
function templatesOf(text: string): string {
  const parts = text.split(/(\{\{[^{}]*\}\})/);
  if (parts.length === 1) return REDACTED_VALUE;
  const isKept = (part: string, n: number) =>
    part === "" || n % 2 === 1 || (n === 0 && SCHEME.test(part));
  return parts.map((part, n) => isKept(part, n) ? part : REDACTED_VALUE).join("");
}

function redactedSide(side: "before" | "after", text: string | undefined): Partial<FieldChange> {
  if (text === undefined) return {};
  const safe = redact(text);
  const isLong = safe.length > MAX_VALUE_LENGTH;
  return { [side]: isLong ? `${safe.slice(0, MAX_VALUE_LENGTH).toWellFormed()}…` : safe };
}

function limitLength(changes: FieldChange[]): FieldChange[] {
  let length = 0;
  return changes.map((change) => {
    length += (change.before?.length ?? 0) + (change.after?.length ?? 0);
    return length <= MAX_CHANGES_LENGTH ? change : { field: change.field, after: OMITTED_VALUE };
  });
}
