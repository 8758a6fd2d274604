import type { RequestHandler } from "./app.ts";

/** Options of `app.listen()` and `builder.listen()`. */
export type ListenOptions =
  & Partial<Deno.ServeTcpOptions & Deno.TlsCertifiedKeyPem>
  & {
    remoteAddress?: string;
  };

/** Starts a server and returns as soon as it accepts connections. */
export async function serve(
  handler: RequestHandler,
  { basePath, ...options }: ListenOptions & { basePath: string },
): Promise<void> {
  const onListen = options.onListen ??
    ((address) => announce(address, basePath));
  if (options.port) {
    await Deno.serve({ ...options, onListen }, handler);
    return;
  }
  for (let port = 8000; port < 8020; port++) {
    try {
      await Deno.serve({ ...options, onListen, port }, handler);
      return;
    } catch (error) {
      if (!(error instanceof Deno.errors.AddrInUse) || port === 8019) {
        throw error;
      }
    }
  }
}

function announce({ hostname, port }: Deno.NetAddr, basePath: string): void {
  const host = hostname === "0.0.0.0" || hostname === "::" ? "localhost" : hostname;
  console.log(
    `listening on http://${host.includes(":") ? `[${host}]` : host}:${port}${basePath}/`,
  );
}
