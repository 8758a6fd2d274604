import { IS_PATTERN } from "./patterns.ts";

/** HTTP verbs that can be routed. */
export type Method = "HEAD" | "GET" | "POST" | "PATCH" | "PUT" | "DELETE" | "OPTIONS";

export const ALL_METHODS: Method[] = ["GET", "DELETE", "HEAD", "OPTIONS", "PATCH", "POST", "PUT"];

/** `item` is null when the path has nothing for the verb. */
export interface Match<T> {
  pattern: string;
  item: T | null;
  /** Verbs that the path is known for. */
  allowed: string[];
  params: Record<string, string>;
}

interface Entry<T> {
  pattern: string;
  verbs: Map<string, T>;
}

/** Literal paths are looked up first; patterns are tried in the order they were added. */
export class Router<T> {
  readonly #literals = new Map<string, Entry<T>>();
  readonly #patterns = new Map<string, Entry<T> & { matcher: URLPattern }>();

  /** The first item added for a verb and path stays. */
  add(methods: Method[], { path, item }: { path: string; item: T }): void {
    const { verbs } = this.#entry(path === "" || path === "*" ? "/*" : path);
    for (const method of methods) {
      if (!verbs.has(method)) verbs.set(method, item);
    }
  }

  #entry(pattern: string): Entry<T> {
    const known = this.#literals.get(pattern) ?? this.#patterns.get(pattern);
    if (known !== undefined) return known;
    const entry = { pattern, verbs: new Map<string, T>() };
    if (IS_PATTERN.test(pattern)) {
      this.#patterns.set(pattern, { ...entry, matcher: new URLPattern({ pathname: pattern }) });
    } else this.#literals.set(pattern, entry);
    return entry;
  }

  /** Null when no path matches. */
  match(method: string, url: URL): Match<T> | null {
    const params: Record<string, string> = Object.create(null);
    for (const path of withAndWithoutSlash(url.pathname)) {
      const entry = this.#literals.get(path);
      if (entry !== undefined) return { ...found(entry, method), params };
    }
    for (const entry of this.#patterns.values()) {
      const groups = entry.matcher.exec(url)?.pathname.groups;
      if (groups === undefined) continue;
      for (const [name, value] of Object.entries(groups)) params[name] = decode(value ?? "");
      return { ...found(entry, method), params };
    }
    return null;
  }
}

function withAndWithoutSlash(path: string): string[] {
  if (path === "/") return [path];
  return [path, path.endsWith("/") ? path.slice(0, -1) : `${path}/`];
}

function found<T>({ pattern, verbs }: Entry<T>, method: string): Omit<Match<T>, "params"> {
  const item = verbs.get(method) ?? (method === "HEAD" ? verbs.get("GET") : undefined) ?? null;
  return { pattern, item, allowed: [...verbs.keys()] };
}

/** Keeps `%2F` encoded, so that a parameter cannot grow a segment. */
function decode(value: string): string {
  try {
    return decodeURI(value);
  } catch {
    return value;
  }
}
