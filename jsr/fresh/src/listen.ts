/** Answers requests; usable without a server. */
export type RequestHandler = (
  request: Request,
  info?: Deno.ServeHandlerInfo,
) => Promise<Response>;

/** Options of `app.listen()` and `builder.listen()`. */
export type ListenOptions = Partial<Deno.ServeTcpOptions & Deno.TlsCertifiedKeyPem>;

/** Starts a server and returns as soon as it accepts connections. */
export async function serve(handler: RequestHandler, options: ListenOptions): Promise<void> {
  for (let port = options.port || 8000;; port++) {
    try {
      await Deno.serve({ ...options, port }, handler);
      return;
    } catch (error) {
      const taken = error instanceof Deno.errors.AddrInUse;
      if (!taken || options.port || port === 8019) throw error;
    }
  }
}
