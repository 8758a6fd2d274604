/** A small website on the loopback interface, whose pages a test sets and whose requests it counts. */
export interface TestPage {
  status?: number;
  headers?: Record<string, string>;
  body?: BodyInit | null;
}

export type PageSource = TestPage | string | ((request: Request) => TestPage | Response);

export function serveSite(pages: Record<string, PageSource> = {}) {
  const requests: { path: string; headers: Headers }[] = [];
  let inFlight = 0;
  let mostInFlight = 0;
  const crash = new AbortController();
  const server = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen: () => {}, onError, signal: crash.signal },
    async (request) => {
      const { pathname, search } = new URL(request.url);
      requests.push({ path: pathname + search, headers: request.headers });
      mostInFlight = Math.max(mostInFlight, ++inFlight);
      try {
        await request.body?.cancel();
        return answer(pages[pathname + search] ?? pages[pathname] ?? pages["*"], request);
      } finally {
        inFlight--;
      }
    },
  );
  const host = `127.0.0.1:${server.addr.port}`;
  return {
    host,
    pages,
    requests,
    url: (path = "/") => `http://${host}${path}`,
    paths: () => requests.map(({ path }) => path),
    get mostInFlight() {
      return mostInFlight;
    },
    async [Symbol.asyncDispose]() {
      crash.abort();
      await server.finished;
    },
  };
}

export type TestSite = ReturnType<typeof serveSite>;

function answer(source: PageSource | undefined, request: Request): Response {
  const page = typeof source === "function" ? source(request) : source;
  if (page instanceof Response) return page;
  if (page === undefined) return new Response("not here", { status: 404 });
  if (typeof page === "string") return html(page);
  const { status = 200, headers = { "content-type": "text/html" }, body = null } = page;
  return new Response(body, { status, headers });
}

function html(body: string): Response {
  return new Response(body, { headers: { "content-type": "text/html; charset=utf-8" } });
}

function onError(): Response {
  return new Response("", { status: 500 });
}

/** A page with a title, a paragraph about its subject, and links. */
export function pageOf(title: string, text: string, links: readonly string[] = []): string {
  const nav = links.map((link) => `<a href="${link}">${link}</a>`).join(" ");
  const long = `${text} `.repeat(6);
  return `<!doctype html><html><head><title>${title}</title></head><body><nav>${nav}</nav>` +
    `<main><h1>${title}</h1><p>${long}</p></main></body></html>`;
}
