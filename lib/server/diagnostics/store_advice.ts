import type { StoreMeasurements } from "./measure_store.ts";

export interface StoreFindings extends StoreMeasurements {
  kind: "file" | "memory" | "server" | "deploy";
  url?: string | undefined;
  clockSkewMs?: number | undefined;
}

/** Delayed acknowledgements take 40 ms on Linux. */
const DELAYED_ACK_THRESHOLD_MS = 30;
const DISTANT_STORE_MS = 30;
const SLOW_DISK_MS = 20;
/** The `Date` header has a precision of one second. */
const CLOCK_TOLERANCE_MS = 3_000;

const KV_SERVER_SECTION = `docs/operations.md, "Connecting to a KV server"`;

export function storeAdvice(findings: StoreFindings): string[] {
  const { kind, readMs, writes } = findings;
  const [small, medium] = writes.map(({ ms }) => ms) as [number, number];
  const advice: string[] = [];
  const [readTime, smallTime] = [formatMs(readMs), formatMs(small)];
  if (kind === "memory") {
    advice.push("The store is in memory: everything is lost when the process ends. Unset KV_PATH.");
  }
  if (kind === "file" && small > SLOW_DISK_MS) {
    advice.push(
      `The disk takes ${smallTime} ms to store a small value safely, and every chat waits for two ` +
        "such writes: put DATA_DIR on a local SSD, not on a network file system.",
    );
  }
  if (kind === "server" && medium - small > DELAYED_ACK_THRESHOLD_MS) {
    const delay = formatMs(medium - small);
    advice.push(
      `A write of 2 KB takes ${delay} ms longer than one of 500 bytes. Deno's client ` +
        "sends it in two packets and waits for the server's delayed acknowledgement (Nagle's " +
        `algorithm): put HAProxy in front of the server, as ${KV_SERVER_SECTION} shows.`,
    );
  }
  if (kind !== "file" && readMs > DISTANT_STORE_MS) {
    advice.push(
      `The store is ${readTime} ms away, and a chat waits for one to three round trips before it ` +
        "begins: run the service in the store's region.",
    );
  }
  return [...advice, ...urlAdvice(findings.url), ...clockAdvice(findings.clockSkewMs)];
}

function urlAdvice(text: string | undefined): string[] {
  if (text === undefined) return [];
  const { protocol, hostname } = new URL(text);
  if (protocol === "https:" || /^(localhost|127\..*|\[::1\])$/.test(hostname)) return [];
  return [
    `The connection to ${hostname} is not encrypted, and carries the access token: use https, or a ` +
    "network that only the service and the store are in.",
  ];
}

function clockAdvice(aheadMs: number | undefined): string[] {
  if (aheadMs === undefined || Math.abs(aheadMs) < CLOCK_TOLERANCE_MS) return [];
  const seconds = Math.round(Math.abs(aheadMs) / 1_000);
  const side = aheadMs > 0 ? "ahead of" : "behind";
  return [
    `The server's clock is ${seconds} s ${side} this machine's, and ` +
    "limits, leases and sessions go by the clock: synchronise both with NTP.",
  ];
}

function formatMs(ms: number): string {
  return ms < 10 ? ms.toFixed(1) : String(Math.round(ms));
}

export function formatFindings(findings: StoreFindings): string {
  const { kind, url, readMs, writes, maxChecks, clockSkewMs } = findings;
  const names = { file: "a local file", memory: "memory", deploy: "Deno Deploy's database" };
  const sizes = writes.map(({ bytes, ms }) => `${formatBytes(bytes)} ${formatMs(ms)} ms`);
  const lines = [
    `Store    ${kind === "server" ? `KV server at ${url}` : names[kind]}`,
    "Secrets  fit the store",
    `Read     ${formatMs(readMs)} ms`,
    `Write    ${sizes.join(", ")}`,
    `Limits   ${maxChecks} checks in one commit`,
  ];
  if (clockSkewMs !== undefined) {
    const off = Math.abs(clockSkewMs) < CLOCK_TOLERANCE_MS
      ? "the server's and this one agree"
      : `the server's is off by ${Math.round(clockSkewMs / 1_000)} s`;
    lines.push(`Clock    ${off}`);
  }
  return lines.join("\n");
}

function formatBytes(bytes: number): string {
  return bytes < 1_000 ? `${bytes} B` : `${bytes / 1_000} KB`;
}
