import type { HttpMetrics } from "../../http/http_metrics.ts";
import type { LimitScope } from "../../billing/limits.ts";
import type { MetricRegistry } from "../../platform/metrics/metric_registry.ts";

const METHODS = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);

/** Requests and streams. The routes are patterns, so that no id becomes a label. */
export class RequestMetrics implements HttpMetrics {
  readonly #requests;
  readonly #limits;
  #openStreams = 0;

  constructor(registry: MetricRegistry) {
    this.#requests = registry.counter({
      name: "agent_chat_http_requests",
      help: "Answered requests, except for static files, by the pattern of their route.",
      labels: ["route", "method", "code"],
    });
    this.#limits = registry.counter({
      name: "agent_chat_limit_rejections",
      help: "Requests that a limit rejected with 429, by the scope of the limit.",
      labels: ["scope"],
    });
    registry.gauge({
      name: "agent_chat_open_streams",
      help: "Event streams that clients are reading.",
      read: () => this.#openStreams,
    });
  }

  onResponse(
    { route, method, status }: { route: string; method: string; status: number },
  ): void {
    const known = METHODS.has(method) ? method : "other";
    this.#requests.add({ route, method: known, code: String(status) });
  }

  onLimit(scope: LimitScope): void {
    this.#limits.add({ scope });
  }

  onStream(sent: Promise<unknown>): void {
    this.#openStreams++;
    const end = () => void this.#openStreams--;
    sent.then(end, end);
  }
}
