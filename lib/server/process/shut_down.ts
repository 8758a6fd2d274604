import type { Service } from "../../http/service.ts";
import type { ControlSocket } from "../commands/control_socket.ts";
import type { Stoppable } from "./restarting_server.ts";

/** For active runs to finish. */
const GRACE_MS = 3_000;
/** The time to stop and settle one of many runs, subtracted from the grace period. */
const SETTLE_MS_PER_RUN = 2;
/** Exits before platforms kill the process: Deno Deploy after 5 s, Docker 10 s, systemd 90 s. */
const DEADLINE_MS = 9_000;
const DEPLOY_DEADLINE_MS = 4_500;

type ServiceParts = "announceStop" | "chat" | "close" | "config" | "drain" | "log" | "runtime";

/** Resolves with the first SIGTERM, SIGINT or SIGHUP (a closed terminal). */
export function waitForStopSignal(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) {
      try {
        Deno.addSignalListener(signal, resolve);
      } catch (error) {
        // Windows has no SIGTERM.
        if (Deno.build.os !== "windows") throw error;
      }
    }
  });
}

/**
 * Makes `/readyz` red, and serves on for `DRAIN_SECONDS`, if that is set; then stops listening, so that
 * a proxy that has not noticed cannot connect and tries another process. Rejects new runs, lets active ones
 * finish or stops them. Exits with 0, or with 1 if runs remain unsettled at the deadline; the next process
 * settles those at their full reservations.
 */
export async function shutDown(
  { service, server, control, exit = Deno.exit }: {
    service: Pick<Service, ServiceParts>;
    /** Unset if the host owns the server. */
    server?: Stoppable;
    control?: ControlSocket | undefined;
    exit?: (code: number) => void;
  },
): Promise<void> {
  const { chat, config, log, runtime } = service;
  service.announceStop();
  let closed: Promise<void> | undefined;
  if (config.drainSeconds > 0) {
    log.info(`stopping: requests are accepted for ${config.drainSeconds} s more`);
    await runtime.sleep(config.drainSeconds * 1_000);
    closed = server?.shutdown();
  }
  const end = () => {
    const unsettled = chat.active.length;
    if (unsettled > 0) log.error(`ended with ${unsettled} runs unsettled`, { unsettled });
    exit(unsettled > 0 ? 1 : 0);
  };
  void runtime.sleep(config.onDenoDeploy ? DEPLOY_DEADLINE_MS : DEADLINE_MS).then(end);
  const graceMs = Math.max(0, GRACE_MS - SETTLE_MS_PER_RUN * chat.active.length);
  // In parallel, so that a hanging command does not delay the runs.
  await Promise.all([service.drain(graceMs), control?.close()]);
  await (closed ?? server?.shutdown());
  await service.close();
  end();
}
