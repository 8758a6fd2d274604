import type { Service } from "../service.ts";
import type { ControlSocket } from "./control_socket.ts";

/** Runs that are still going get this long to end by themselves. */
const GRACE_MS = 3_000;
/** Whoever lingers is cut off, before platforms kill: 5 s after their signal. */
const LAST_MS = 4_500;

/** Settles with the first SIGTERM or SIGINT. */
export function untilStopped(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ["SIGTERM", "SIGINT"] as const) {
      Deno.addSignalListener(signal, resolve);
    }
  });
}

/**
 * Ends the process, with 0: no run begins any more, those under way may end or are interrupted, their
 * streams end by themselves, and only then does the server.
 */
export async function shutDown(
  { service, server, control }: {
    service: Service;
    /** Unset where somebody else listens. */
    server?: Deno.HttpServer;
    control?: ControlSocket | undefined;
  },
): Promise<never> {
  setTimeout(() => Deno.exit(0), LAST_MS);
  await control?.close();
  await service.drain(GRACE_MS);
  await server?.shutdown();
  await service.close();
  Deno.exit(0);
}
