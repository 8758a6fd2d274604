/** `{{name}}`. Anything with white space inside the braces is plain text. */
export const PLACEHOLDER = /\{\{([^{}\s]{1,256})\}\}/g;
const SECRET_PREFIX = "secret.";
const VISITOR_PREFIX = "visitor.";

/** Returns the value of a placeholder; `undefined` if the argument was omitted. */
export type Lookup = (name: string) => unknown;

/**
 * Fills a template in one pass, so that a value that looks like a placeholder stays text. Returns
 * `undefined` if one of its arguments was omitted, so that the whole field is omitted.
 */
export function fillTemplate(template: string, lookup: Lookup): string | undefined {
  let omitted = false;
  const text = template.replace(PLACEHOLDER, (_all, name: string) => {
    const value = lookup(name);
    omitted ||= value === undefined || value === null;
    return asText(value);
  });
  return omitted ? undefined : text;
}

/** Fills every string of a JSON value; a string that is exactly `{{name}}` becomes the typed value. */
export function fillBody(template: unknown, lookup: Lookup): unknown {
  if (typeof template === "string") {
    const name = wholePlaceholder(template);
    return name === undefined ? fillTemplate(template, lookup) : lookup(name);
  }
  if (Array.isArray(template)) {
    return template.map((item) => fillBody(item, lookup)).filter((item) => item !== undefined);
  }
  if (typeof template !== "object" || template === null) return template;
  const filled = Object.entries(template).map(([key, item]) => [key, fillBody(item, lookup)]);
  return Object.fromEntries(filled.filter(([, item]) => item !== undefined));
}

/** The name of the placeholder if `text` is nothing else. */
export function wholePlaceholder(text: string): string | undefined {
  return new RegExp(`^${PLACEHOLDER.source}$`).exec(text)?.[1];
}

export function hasPlaceholder(text: string): boolean {
  return text.search(PLACEHOLDER) !== -1;
}

/** Wraps a lookup so that it returns text passed through `encode`. */
export function encodedLookup(lookup: Lookup, encode: (text: string) => string): Lookup {
  return (name) => {
    const value = lookup(name);
    return value === undefined || value === null ? undefined : encode(asText(value));
  };
}

/** Applies `change` to the text between the placeholders of a template. */
export function mapLiterals(template: string, change: (literal: string) => string): string {
  // `split` puts the captured placeholders at the odd indexes.
  return template.split(/(\{\{[^{}\s]{1,256}\}\})/)
    .map((part, n) => n % 2 === 1 ? part : change(part)).join("");
}

/** The distinct `NAME`s of `{{secret.NAME}}` anywhere in a JSON value. */
export function secretNames(value: unknown): string[] {
  const names = placeholderNames(JSON.stringify(value) ?? "").filter(isSecretName);
  return names.map((name) => name.slice(SECRET_PREFIX.length));
}

/** The distinct arguments that a template names. */
export function argumentNames(template: string): string[] {
  return placeholderNames(template).filter((name) => !isSecretName(name) && !isVisitorName(name));
}

/** The distinct `NAME`s of `{{visitor.NAME}}` in a text. */
export function visitorNames(template: string): string[] {
  return placeholderNames(template).filter(isVisitorName)
    .map((name) => name.slice(VISITOR_PREFIX.length));
}

function placeholderNames(text: string): string[] {
  return [...new Set([...text.matchAll(PLACEHOLDER)].map(([, name = ""]) => name))];
}

export function isSecretName(name: string): boolean {
  return name.startsWith(SECRET_PREFIX);
}

/** A model must not choose these: an argument of such a name is never used. */
function isVisitorName(name: string): boolean {
  return name.startsWith(VISITOR_PREFIX);
}

/**
 * Looks up arguments, secrets and the visitor's variables separately, and ignores inherited
 * properties.
 */
export function createLookup(
  args: Readonly<Record<string, unknown>>,
  { secrets, visitor }: {
    secrets: ReadonlyMap<string, string>;
    visitor: ReadonlyMap<string, unknown>;
  },
): Lookup {
  return (name) => {
    if (isSecretName(name)) return secrets.get(name.slice(SECRET_PREFIX.length));
    if (isVisitorName(name)) return visitor.get(name.slice(VISITOR_PREFIX.length));
    return Object.hasOwn(args, name) ? args[name] : undefined;
  };
}

/** A value as text; objects become JSON. */
export function asText(value: unknown): string {
  if (value === undefined || value === null) return "";
  return typeof value === "object" ? JSON.stringify(value) : `${value}`;
}
