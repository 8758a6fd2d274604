import { setTimeout as delay } from "node:timers/promises";
import { ChatClient, type ChatTimes } from "./client.ts";
import type { Server } from "./servers.ts";

/** The results of a server under one load. */
export interface Measured {
  perSecond: number;
  /** Milliseconds from the request to the first text, and to the end. */
  first: Percentiles;
  total: Percentiles;
  /** CPU time of the server's process for one chat, milliseconds. */
  cpuMs: number;
  /** Bytes, at the end. */
  rss: number;
  framesPerSecond: number;
}

export interface Percentiles {
  p50: number;
  p99: number;
}

export interface Load {
  model: string;
  clients: number;
  ms: number;
  /** Over how many milliseconds the clients' first requests are spread. */
  spreadMs?: number;
}

/** Requests of the whole benchmark so far; keys and addresses rotate by it. */
let requestCount = 0;

/** Keeps the clients chatting for `ms`; every chat that was started is read to its end. */
export async function measure(server: Server, load: Load): Promise<Measured> {
  const { model, clients, ms, spreadMs = 0 } = load;
  const createRequest = server.requestFor({ model });
  const open = await connect(server, clients);
  try {
    const chats: ChatTimes[] = [];
    const cpuBefore = await server.process.cpuMs();
    const began = performance.now();
    await Promise.all(open.map(async (client, n) => {
      if (spreadMs > 0) await delay(spreadMs * n / clients);
      while (performance.now() - began < ms) {
        chats.push(await client.chat(createRequest(requestCount++)));
      }
    }));
    const seconds = (performance.now() - began) / 1000;
    const cpu = await server.process.cpuMs() - cpuBefore;
    return {
      perSecond: chats.length / seconds,
      first: percentiles(chats.map(({ first }) => first)),
      total: percentiles(chats.map(({ total }) => total)),
      cpuMs: cpu / chats.length,
      rss: await server.process.rss(),
      framesPerSecond: chats.reduce((sum, { frames }) => sum + frames, 0) / seconds,
    };
  } finally {
    for (const client of open) client[Symbol.dispose]();
  }
}

/** The results of a server under a load at a provider's pace. */
export interface MeasuredPace {
  /** CPU time of the server's process for one chat, milliseconds. */
  cpuMs: number;
  /** Milliseconds from the request to the first text, and between frames. */
  first: Percentiles;
  gap: Percentiles;
}

export interface PacedLoad {
  model: string;
  streams: number;
  /** How long a chat takes at least, and for how long chats are started, milliseconds. */
  chatMs: number;
  ms: number;
}

/** As `measure`; the clients pause at random between chats, so that they do not fall into step. */
export async function measurePace(server: Server, load: PacedLoad): Promise<MeasuredPace> {
  const { model, streams, chatMs, ms } = load;
  const createRequest = server.requestFor({ model });
  const open = await connect(server, streams);
  try {
    const firsts: number[] = [];
    const gaps: number[] = [];
    const cpuBefore = await server.process.cpuMs();
    const began = performance.now();
    await Promise.all(open.map(async (client) => {
      for (let pauseMs = chatMs; performance.now() - began < ms; pauseMs = chatMs / 4) {
        await delay(pauseMs * Math.random());
        firsts.push((await client.chat(createRequest(requestCount++), gaps)).first);
      }
    }));
    const cpu = await server.process.cpuMs() - cpuBefore;
    return { cpuMs: cpu / firsts.length, first: percentiles(firsts), gap: percentiles(gaps) };
  } finally {
    for (const client of open) client[Symbol.dispose]();
  }
}

/** Bytes of the server's memory per open, silent stream. */
export async function measureIdle(
  server: Server,
  { model, streams }: { model: string; streams: number },
): Promise<number> {
  const createRequest = server.requestFor({ model });
  const before = await server.process.rss();
  const open = await connect(server, streams);
  try {
    for (let at = 0; at < open.length; at += OPENED_AT_ONCE) {
      const group = open.slice(at, at + OPENED_AT_ONCE);
      await Promise.all(group.map((client) => client.open(createRequest(requestCount++))));
    }
    return (await server.process.rss() - before) / streams;
  } finally {
    for (const client of open) client[Symbol.dispose]();
  }
}

/** How many streams are opened at the same time. */
const OPENED_AT_ONCE = 50;

function connect(server: Server, n: number): Promise<ChatClient[]> {
  const { port } = server.process;
  return Promise.all(Array.from({ length: n }, () => ChatClient.connect(port)));
}

function percentiles(values: number[]): Percentiles {
  values.sort((a, b) => a - b);
  const at = (share: number) => values[Math.floor(share * (values.length - 1))] ?? 0;
  return { p50: at(0.5), p99: at(0.99) };
}
