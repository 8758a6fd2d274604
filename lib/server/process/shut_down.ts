import type { Service } from "../../http/service.ts";
import type { ControlSocket } from "../commands/control_socket.ts";
import type { Stoppable } from "./restarting_server.ts";

/** Runs that are still going get this long to end by themselves. */
const GRACE_MS = 3_000;
/** What it takes to interrupt and settle one of many: who has more begins earlier. */
const SETTLE_MS_PER_RUN = 2;
/**
 * Whoever lingers is cut off, before platforms kill: Deno Deploy 5 s after its signal, Docker 10 s,
 * systemd 90 s.
 */
const DEADLINE_MS = 9_000;
const DEPLOY_DEADLINE_MS = 4_500;

/** Settles with the first SIGTERM, SIGINT or SIGHUP, which a closed terminal sends. */
export function waitForStopSignal(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) {
      try {
        Deno.addSignalListener(signal, resolve);
      } catch (error) {
        // Windows knows no SIGTERM.
        if (Deno.build.os !== "windows") throw error;
      }
    }
  });
}

export interface ShutDownOptions {
  service: Pick<Service, "chat" | "close" | "config" | "drain" | "log" | "runtime">;
  /** Unset where somebody else listens. */
  server?: Stoppable;
  control?: ControlSocket | undefined;
  exit?: (code: number) => void;
}

/**
 * Ends the process: no run begins any more, those under way may end or are interrupted, their streams
 * end by themselves, and only then does the server. With 0, or with 1 when time ran out on runs that
 * were not settled; the next process settles those, at all that they held.
 */
export async function shutDown(
  { service, server, control, exit = Deno.exit }: ShutDownOptions,
): Promise<void> {
  const { chat, config, log, runtime } = service;
  const end = () => {
    const unsettled = chat.active.length;
    if (unsettled > 0) log.error(`ended with ${unsettled} runs unsettled`, { unsettled });
    exit(unsettled > 0 ? 1 : 0);
  };
  void runtime.sleep(config.onDenoDeploy ? DEPLOY_DEADLINE_MS : DEADLINE_MS).then(end);
  const graceMs = Math.max(0, GRACE_MS - SETTLE_MS_PER_RUN * chat.active.length);
  // Side by side: a command that hangs must not keep the runs from ending.
  await Promise.all([service.drain(graceMs), control?.close()]);
  await server?.shutdown();
  await service.close();
  end();
}
