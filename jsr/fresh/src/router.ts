import { IS_PATTERN } from "./patterns.ts";

/** HTTP verbs that can be routed. */
export type Method =
  | "HEAD"
  | "GET"
  | "POST"
  | "PATCH"
  | "PUT"
  | "DELETE"
  | "OPTIONS";

export const ALL_METHODS: readonly Method[] = [
  "GET",
  "DELETE",
  "HEAD",
  "OPTIONS",
  "PATCH",
  "POST",
  "PUT",
];

/** `pattern` is null when no path matched, `item` when the path has nothing for the verb. */
export interface Match<T> {
  pattern: string | null;
  item: T | null;
  params: Record<string, string>;
}

type Verbs<T> = Map<string, T>;

/** Literal paths are looked up first; patterns are tried in the order they were added. */
export class Router<T> {
  #literals = new Map<string, Verbs<T>>();
  #patterns = new Map<string, { matcher: URLPattern; verbs: Verbs<T> }>();

  /** The first item added for a verb and path stays. */
  add(method: Method, path: string, item: T): void {
    const verbs = this.#verbsOf(path);
    if (!verbs.has(method)) verbs.set(method, item);
  }

  #verbsOf(path: string): Verbs<T> {
    if (IS_PATTERN.test(path)) {
      const known = this.#patterns.get(path);
      if (known !== undefined) return known.verbs;
      const verbs: Verbs<T> = new Map();
      this.#patterns.set(path, {
        matcher: new URLPattern({ pathname: path }),
        verbs,
      });
      return verbs;
    }
    const verbs = this.#literals.get(path) ?? new Map();
    this.#literals.set(path, verbs);
    return verbs;
  }

  allowedMethods(pattern: string): string[] {
    const verbs = this.#literals.get(pattern) ??
      this.#patterns.get(pattern)?.verbs;
    return [...verbs?.keys() ?? []];
  }

  match(method: string, url: URL): Match<T> {
    const params: Record<string, string> = Object.create(null);
    for (const path of withAndWithoutSlash(url.pathname)) {
      const verbs = this.#literals.get(path);
      if (verbs !== undefined) {
        return { pattern: path, item: itemFor(verbs, method), params };
      }
    }
    for (const [pattern, { matcher, verbs }] of this.#patterns) {
      const found = matcher.exec(url);
      if (found === null) continue;
      for (const [name, value] of Object.entries(found.pathname.groups)) {
        params[name] = decode(value ?? "");
      }
      return { pattern, item: itemFor(verbs, method), params };
    }
    return { pattern: null, item: null, params };
  }
}

function withAndWithoutSlash(path: string): string[] {
  if (path === "/") return [path];
  return [path, path.endsWith("/") ? path.slice(0, -1) : `${path}/`];
}

function itemFor<T>(verbs: Verbs<T>, method: string): T | null {
  return verbs.get(method) ??
    (method === "HEAD" ? verbs.get("GET") : undefined) ?? null;
}

/** Keeps `%2F` encoded, so that a parameter cannot grow a segment. */
function decode(value: string): string {
  try {
    return decodeURI(value);
  } catch {
    return value;
  }
}
