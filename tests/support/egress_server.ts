import { Egress, type EgressRequest } from "@/lib/egress/egress.ts";
import type { TargetRejection } from "@/lib/egress/check_target.ts";
import type { EgressCall } from "@/lib/egress/egress_error.ts";
import type { Resolver } from "@/lib/egress/resolve_host.ts";
import type { Runtime } from "@/lib/platform/runtime.ts";
import { fakeUuid } from "./fake_runtime.ts";
import { instantRuntime } from "./instant_runtime.ts";

const tls = (name: string) =>
  Deno.readTextFileSync(new URL(`../fixtures/tls/${name}`, import.meta.url));

/** The public address that test host names resolve to by default. */
export const PUBLIC_ADDRESS = "93.184.215.14";

/** One request as the test server saw it. */
export interface SeenRequest {
  method: string;
  url: string;
  headers: Headers;
  body: string;
}

/**
 * An https server on loopback with a certificate for `example.com`, `*.example.com` and
 * `*.other.example`, and an egress guard that connects every allowed request to it. The guard's checks
 * are real: names resolve to a public address, or to the test's.
 */
export class EgressServer implements AsyncDisposable {
  readonly seen: SeenRequest[] = [];
  readonly calls: EgressCall[] = [];
  /** Reported blocked hosts. */
  readonly rejections: TargetRejection[] = [];
  /** Addresses that were connected to. */
  readonly dialled: string[] = [];
  readonly egress: Egress;
  readonly port: number;
  readonly ca = tls("ca.pem");
  #server: Deno.HttpServer;
  #abandon = new AbortController();

  constructor(
    answer: (request: SeenRequest) => Response | Promise<Response>,
    options: {
      addresses?: Record<string, string[]>;
      resolver?: Resolver;
      allow?: string[];
      /** Addresses that accept no connection. */
      unreachable?: string[];
      runtime?: Pick<Runtime, "now" | "sleep">;
    } = {},
  ) {
    const handler = async (request: Request) => {
      const { method, url, headers } = request;
      const seen = { method, url, headers, body: await request.text() };
      this.seen.push(seen);
      return await answer(seen);
    };
    const cert = { cert: tls("leaf.pem"), key: tls("leaf.key") };
    const listen = { port: 0, hostname: "127.0.0.1", onListen: () => {}, ...cert };
    this.#server = Deno.serve({ ...listen, signal: this.#abandon.signal }, handler);
    this.port = (this.#server.addr as Deno.NetAddr).port;
    this.egress = new Egress({
      allow: options.allow ?? [],
      runtime: options.runtime ?? instantRuntime().runtime,
      resolver: options.resolver ??
        ((host) => Promise.resolve(options.addresses?.[host] ?? [PUBLIC_ADDRESS])),
      dial: ({ address }) => {
        this.dialled.push(address);
        // Nothing listens on port 1 of loopback.
        const isUnreachable = options.unreachable?.includes(address) ?? false;
        return { address: "127.0.0.1", port: isUnreachable ? 1 : this.port };
      },
      ca: this.ca,
      rejectionMs: 0,
      onRejected: (rejection) => this.rejections.push(rejection),
    });
  }

  /** Sends a request through the guard, recorded in `calls`. */
  request(url: string, change: Partial<EgressRequest> = {}): EgressRequest {
    return {
      method: "GET",
      tenant: fakeUuid(1),
      url: new URL(url),
      headers: {},
      allowedDomains: ["example.com", "*.example.com", "*.other.example"],
      timeoutMs: 10_000,
      maxResponseBytes: 65_536,
      signal: new AbortController().signal,
      onCall: (call) => this.calls.push(call),
      ...change,
    };
  }

  /** Stops without waiting for pending responses. */
  async abandon(): Promise<void> {
    this.#abandon.abort();
    await this.#server.finished;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server.shutdown();
  }
}
