/** `{{name}}`; what is written with blanks inside is text like any other. */
export const PLACEHOLDER = /\{\{([^{}\s]{1,256})\}\}/g;
const SECRET_PREFIX = "secret.";

/** What a placeholder stands for; `undefined` when the argument was left out. */
export type Lookup = (name: string) => unknown;

/**
 * Fills a template in one pass, so that a value which looks like a placeholder stays text.
 * `undefined` when an argument it names was left out: the field goes with it.
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

/** Fills every string of a JSON value; one that is exactly `{{name}}` takes the typed value. */
export function fillBody(template: unknown, lookup: Lookup): unknown {
  if (typeof template === "string") {
    const whole = wholePlaceholder(template);
    return whole === undefined ? fillTemplate(template, lookup) : lookup(whole);
  }
  if (Array.isArray(template)) {
    return template.map((item) => fillBody(item, lookup)).filter((item) => item !== undefined);
  }
  if (typeof template !== "object" || template === null) return template;
  const filled = Object.entries(template).map(([key, item]) => [key, fillBody(item, lookup)]);
  return Object.fromEntries(filled.filter(([, item]) => item !== undefined));
}

/** The name of the placeholder that is all of `text`. */
export function wholePlaceholder(text: string): string | undefined {
  return new RegExp(`^${PLACEHOLDER.source}$`).exec(text)?.[1];
}

export function hasPlaceholder(text: string): boolean {
  return text.search(PLACEHOLDER) !== -1;
}

/** As `lookup`, each value as text that has been through `encode`. */
export function encodedLookup(lookup: Lookup, encode: (text: string) => string): Lookup {
  return (name) => {
    const value = lookup(name);
    return value === undefined || value === null ? undefined : encode(asText(value));
  };
}

/** `template` with `change` made to what stands around its placeholders. */
export function mapLiterals(template: string, change: (literal: string) => string): string {
  // What a pattern captures stands at every other place.
  return template.split(/(\{\{[^{}\s]{1,256}\}\})/)
    .map((part, n) => n % 2 === 1 ? part : change(part)).join("");
}

/** The `NAME` of each `{{secret.NAME}}` anywhere in a JSON value. */
export function secretNames(value: unknown): string[] {
  const names = placeholderNames(JSON.stringify(value) ?? "");
  return [...new Set(names.filter(isSecretName).map((name) => name.slice(SECRET_PREFIX.length)))];
}

/** The arguments that a template names, each once. */
export function argumentNames(template: string): string[] {
  return [...new Set(placeholderNames(template).filter((name) => !isSecretName(name)))];
}

function placeholderNames(text: string): string[] {
  return [...text.matchAll(PLACEHOLDER)].map(([, name = ""]) => name);
}

export function isSecretName(name: string): boolean {
  return name.startsWith(SECRET_PREFIX);
}

/** A lookup of arguments and secrets, each among its own: no prototype, no mixing up. */
export function createLookup(
  args: Readonly<Record<string, unknown>>,
  secrets: ReadonlyMap<string, string>,
): Lookup {
  return (name) => {
    if (isSecretName(name)) return secrets.get(name.slice(SECRET_PREFIX.length));
    return Object.hasOwn(args, name) ? args[name] : undefined;
  };
}

/** A value as it stands in a text; an object is its JSON. */
export function asText(value: unknown): string {
  if (value === undefined || value === null) return "";
  return typeof value === "object" ? JSON.stringify(value) : `${value}`;
}

/**
 * As `lookup`, until all that it answered is longer than `most` characters; `onMore` throws. A template
 * may name one argument as often as it likes.
 */
export function limitedLookup(
  lookup: Lookup,
  { most, onMore }: { most: number; onMore: () => never },
): Lookup {
  let left = most;
  return (name) => {
    const value = lookup(name);
    left -= asText(value).length;
    return left < 0 ? onMore() : value;
  };
}
