import { Egress, type EgressRequest } from "@/lib/egress/egress.ts";
import type { EgressCall } from "@/lib/egress/egress_error.ts";
import type { System } from "@/lib/system.ts";
import { fastSystem } from "./fast_system.ts";

const tls = (name: string) =>
  Deno.readTextFileSync(new URL(`../fixtures/tls/${name}`, import.meta.url));

/** A public address that names of a test resolve to unless they are told another. */
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
 * `*.other.example`, and a guard whose every permitted connection is led to it. The guard's own
 * checks are the real ones: names resolve to a public address, or to what the test says.
 */
export class EgressServer implements AsyncDisposable {
  readonly seen: SeenRequest[] = [];
  readonly calls: EgressCall[] = [];
  /** Addresses that were dialled. */
  readonly dialled: string[] = [];
  readonly egress: Egress;
  readonly port: number;
  readonly ca = tls("ca.pem");
  #server: Deno.HttpServer;

  constructor(
    answer: (request: Request) => Response | Promise<Response>,
    options: {
      addresses?: Record<string, string[]>;
      allow?: string[];
      system?: Pick<System, "now" | "sleep">;
    } = {},
  ) {
    const handler = async (request: Request) => {
      const { method, url, headers } = request;
      this.seen.push({ method, url, headers, body: await request.clone().text() });
      return await answer(request);
    };
    const cert = { cert: tls("leaf.pem"), key: tls("leaf.key") };
    const listen = { port: 0, hostname: "127.0.0.1", onListen: () => {}, ...cert };
    this.#server = Deno.serve(listen, handler);
    this.port = (this.#server.addr as Deno.NetAddr).port;
    this.egress = new Egress({
      allow: options.allow ?? [],
      system: options.system ?? fastSystem().system,
      resolver: (host) => Promise.resolve(options.addresses?.[host] ?? [PUBLIC_ADDRESS]),
      dial: ({ address }) => {
        this.dialled.push(address);
        return { address: "127.0.0.1", port: this.port };
      },
      ca: this.ca,
    });
  }

  /** A request to it, as the guard takes it; `calls` keeps its ledger. */
  request(url: string, change: Partial<EgressRequest> = {}): EgressRequest {
    return {
      method: "GET",
      url: new URL(url),
      headers: {},
      allowedDomains: ["example.com", "*.example.com", "*.other.example"],
      timeoutMs: 10_000,
      maxResponseBytes: 65_536,
      signal: new AbortController().signal,
      record: (call) => this.calls.push(call),
      ...change,
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server.shutdown();
  }
}
