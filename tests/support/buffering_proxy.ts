import { startNginxWith } from "./nginx.ts";

/** A proxy that clients cannot stream through. */
export interface BufferingProxy extends AsyncDisposable {
  readonly url: string;
}

/**
 * A proxy that sends no byte of a response before it is complete, as some virus scanners do. `onRequest`
 * is called with the path of each request that is no preflight.
 */
export function startBufferingProxy(
  upstream: string,
  onRequest: (path: string, request: Request) => void = () => {},
): BufferingProxy {
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, async (request) => {
    const { pathname, search } = new URL(request.url);
    if (request.method !== "OPTIONS") onRequest(pathname + search, request);
    const { method, headers, body, signal } = request;
    try {
      const init = { method, headers, body, signal, redirect: "manual" } as const;
      const response = await fetch(upstream + pathname + search, init);
      const bytes = response.body === null ? null : await response.bytes();
      const received = new Headers(response.headers);
      // `fetch` has decompressed it.
      for (const name of ["content-encoding", "content-length"]) received.delete(name);
      return new Response(bytes, { status: response.status, headers: received });
    } catch {
      return new Response(null, { status: 502 });
    }
  });
  return {
    url: `http://127.0.0.1:${server.addr.port}`,
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}

/** nginx with buffers for whole answers, which ignores what the service says about buffering. */
export function startBufferingNginx(upstream: string): Promise<BufferingProxy> {
  return startNginxWith((port) =>
    `server {
    listen 127.0.0.1:${port};
    location / {
      proxy_pass ${upstream};
      proxy_buffering on;
      proxy_buffer_size 64k;
      proxy_buffers 8 64k;
      proxy_ignore_headers X-Accel-Buffering;
    }
  }`
  );
}
