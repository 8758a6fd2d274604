/** Which of several server processes this one is. The supervisor says so in the environment. */
export interface ServerPlace {
  /** From 1. A process that replaces another has its number. */
  readonly number: number;
  /** No other server process has run yet, so that all active runs are those of an earlier start. */
  readonly isFirst: boolean;
  /** The folder of the supervisor's sockets. */
  readonly dir: string;
}

const VARIABLE = "SERVER_PROCESS";

/** `undefined` in a process that was not started by a supervisor. */
export function readServerPlace(env: Record<string, string>): ServerPlace | undefined {
  const [, number, first, dir] = /^(\d+) (first|later) (.+)$/s.exec(env[VARIABLE] ?? "") ?? [];
  if (dir === undefined) return undefined;
  return { number: Number(number), isFirst: first === "first", dir };
}

export function serverPlaceEnv({ number, isFirst, dir }: ServerPlace): Record<string, string> {
  return { [VARIABLE]: `${number} ${isFirst ? "first" : "later"} ${dir}` };
}

/** The socket of the store. Without one connection to it a server process ends. */
export function storeSocket(dir: string): string {
  return `${dir}/store.sock`;
}

/** A server process reports its metrics to the others on this socket. */
export function metricsSocket(dir: string, number: number): string {
  return `${dir}/m${number}.sock`;
}

/** The first server process writes its port to this socket when it serves requests. */
export function readySocket(dir: string): string {
  return `${dir}/ready.sock`;
}
