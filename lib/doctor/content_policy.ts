type Policy = ReadonlyMap<string, readonly string[]>;

const DEFAULT_PORTS: Record<string, string> = { "https:": "443", "http:": "80" };

/** The policies of a page; what one of them forbids is forbidden. See https://www.w3.org/TR/CSP3/ */
export class ContentPolicy {
  #policies: Policy[];
  #page: URL;

  /** `texts` are header values, each of which may hold several policies. */
  constructor(texts: readonly string[], page: URL) {
    this.#policies = texts.flatMap((text) => text.split(",")).map(parsePolicy);
    this.#page = page;
  }

  /** `inserted`: by a script that may run, which 'strict-dynamic' trusts. */
  permitsScript(
    { url, nonce, integrity, inserted = false }: {
      url: URL;
      nonce: string | undefined;
      integrity: string | undefined;
      inserted?: boolean;
    },
  ): boolean {
    return this.#everyPolicy(["script-src-elem", "script-src", "default-src"], (sources) => {
      if (nonce && sources.includes(`'nonce-${nonce}'`)) return true;
      if (integrity && sources.includes(`'${integrity}'`)) return true;
      return sources.includes("'strict-dynamic'") ? inserted : this.#allows(sources, url);
    });
  }

  permitsConnection(url: URL): boolean {
    const names = ["connect-src", "default-src"];
    return this.#everyPolicy(names, (sources) => this.#allows(sources, url));
  }

  /** Whether a sandbox blocks scripts, or hides the page's origin. */
  get sandboxed(): boolean {
    return this.#policies.some((policy) => {
      const flags = policy.get("sandbox");
      return flags !== undefined &&
        !(flags.includes("allow-scripts") && flags.includes("allow-same-origin"));
    });
  }

  #everyPolicy(names: string[], permits: (sources: readonly string[]) => boolean): boolean {
    return this.#policies.every((policy) => {
      const name = names.find((name) => policy.has(name));
      return name === undefined || permits(policy.get(name)!);
    });
  }

  #allows(sources: readonly string[], url: URL): boolean {
    return sources.some((source) => matchesSource(source, { url, page: this.#page }));
  }
}

function parsePolicy(text: string): Policy {
  const policy = new Map<string, string[]>();
  for (const part of text.split(";")) {
    const [name, ...values] = part.trim().split(/\s+/);
    const id = name?.toLowerCase();
    // A repeated directive is ignored.
    if (id && !policy.has(id)) policy.set(id, values);
  }
  return policy;
}

function matchesSource(source: string, { url, page }: { url: URL; page: URL }): boolean {
  if (source === "*") return url.protocol === "https:" || url.protocol === "http:";
  if (source.toLowerCase() === "'self'") return url.origin === page.origin;
  if (/^[a-z][a-z0-9+.-]*:$/i.test(source)) return matchesScheme(source.toLowerCase(), url);
  const parts = /^(?:([a-z][a-z0-9+.-]*:)\/\/)?([^/:']+)(?::(\d+|\*))?(\/.*)?$/i.exec(source);
  if (parts === null) return false;
  const [, scheme, host = "", port, path] = parts;
  if (!matchesScheme(scheme?.toLowerCase() ?? page.protocol, url)) return false;
  return matchesHost(host.toLowerCase(), url) && matchesPort(port, url) && matchesPath(path, url);
}

/** A source with http also permits https. */
function matchesScheme(scheme: string, { protocol }: URL): boolean {
  return scheme === protocol || (scheme === "http:" && protocol === "https:");
}

function matchesHost(host: string, { hostname }: URL): boolean {
  if (host === "*") return true;
  return host.startsWith("*.") ? hostname.endsWith(host.slice(1)) : hostname === host;
}

function matchesPort(port: string | undefined, url: URL): boolean {
  if (port === "*") return true;
  return (port ?? DEFAULT_PORTS[url.protocol]) === (url.port || DEFAULT_PORTS[url.protocol]);
}

/** A path that ends with a slash matches as a prefix. */
function matchesPath(path: string | undefined, { pathname }: URL): boolean {
  if (path === undefined || path === "/") return true;
  return path.endsWith("/") ? pathname.startsWith(path) : pathname === path;
}
