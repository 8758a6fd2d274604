/** Answers requests; usable without a server. */
export type RequestHandler = (
  request: Request,
  info?: Deno.ServeHandlerInfo,
) => Promise<Response>;

/** Options of `app.listen()` and `builder.listen()`. */
export type ListenOptions = Partial<Deno.ServeTcpOptions & Deno.TlsCertifiedKeyPem>;

/** Prints that the server listens, like Fresh and unlike Deno. */
function onListen({ hostname, port }: Deno.NetAddr): void {
  if (Deno.env.get("DENO_DEPLOYMENT_ID")) return;
  console.log(`\n Fresh ready\n    Local:  http://${hostname}:${port}/\n`);
}

/** Starts a server and returns as soon as it accepts connections. */
export async function serve(handler: RequestHandler, options: ListenOptions): Promise<void> {
  for (let port = options.port || 8000;; port++) {
    try {
      await Deno.serve({ onListen, ...options, port }, handler);
      return;
    } catch (error) {
      const taken = error instanceof Deno.errors.AddrInUse;
      if (!taken || options.port || port === 8019) throw error;
    }
  }
}
