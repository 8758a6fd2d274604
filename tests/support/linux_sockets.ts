/** State of a listening socket in `/proc/net/tcp`. */
const LISTEN = "0A";

interface TcpSocket {
  localPort: number;
  remotePort: number;
  isListening: boolean;
  /** 0 until the connection is accepted. */
  inode: string;
}

/** The IPv4 sockets of this machine. */
async function tcpSockets(): Promise<TcpSocket[]> {
  const lines = (await Deno.readTextFile("/proc/net/tcp")).trim().split("\n").slice(1);
  const portOf = (address: string) => parseInt(address.split(":")[1]!, 16);
  return lines.map((line) => {
    const fields = line.trim().split(/\s+/);
    return {
      localPort: portOf(fields[1]!),
      remotePort: portOf(fields[2]!),
      isListening: fields[3] === LISTEN,
      inode: fields[9]!,
    };
  });
}

/** The inodes of the sockets that a process has open; none if it has ended. */
async function socketsOf(pid: number): Promise<Set<string>> {
  const dir = `/proc/${pid}/fd`;
  const found = new Set<string>();
  try {
    for await (const { name } of Deno.readDir(dir)) {
      const target = await Deno.readLink(`${dir}/${name}`).catch(() => "");
      const inode = /^socket:\[(\d+)\]$/.exec(target)?.[1];
      if (inode !== undefined) found.add(inode);
    }
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
  return found;
}

/** Which of `pids` has accepted the connection from `clientPort` to `port`; `undefined` if none has yet. */
export async function acceptedBy(
  { port, clientPort }: { port: number; clientPort: number },
  pids: readonly number[],
): Promise<number | undefined> {
  const accepted = (await tcpSockets())
    .find(({ localPort, remotePort }) => localPort === port && remotePort === clientPort);
  if (accepted === undefined) return undefined;
  for (const pid of pids) if ((await socketsOf(pid)).has(accepted.inode)) return pid;
  return undefined;
}

/** The processes of `pids` that listen on `port`. */
export async function listenersOn(port: number, pids: readonly number[]): Promise<number[]> {
  const listening = (await tcpSockets())
    .filter(({ localPort, isListening }) => isListening && localPort === port)
    .map(({ inode }) => inode);
  const found: number[] = [];
  for (const pid of pids) {
    const sockets = await socketsOf(pid);
    if (listening.some((inode) => sockets.has(inode))) found.push(pid);
  }
  return found;
}

/** The processes that `pid` has started and that have not ended. */
export async function childrenOf(pid: number): Promise<number[]> {
  const text = await Deno.readTextFile(`/proc/${pid}/task/${pid}/children`);
  const children = text.trim().split(" ").filter((one) => one !== "").map(Number);
  const ended = await Promise.all(children.map(hasEnded));
  return children.filter((_, n) => !ended[n]);
}

/** Whether a process has ended; its parent may not have noticed yet. */
export async function hasEnded(pid: number): Promise<boolean> {
  const stat = await Deno.readTextFile(`/proc/${pid}/stat`).catch(() => ") X");
  return /\) [ZX]/.test(stat);
}
